// Copyright 2026 The Conveyor Authors.
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     https://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.
//
// -----------------------------------------------------------------------------
// File: damage.h
// -----------------------------------------------------------------------------
//
// What can become of bytes on their way, as tests name it.

#ifndef CONVEYOR_TESTING_SIM_DAMAGE_H_
#define CONVEYOR_TESTING_SIM_DAMAGE_H_

#include <cstdint>

namespace conveyor {
namespace sim {

enum class Damage : uint8_t {
  kFlip,  // All bits are inverted.
  kDrop,  // The target keeps what it had.
};

// What becomes of what one device writes into another one's memory.
enum class PeerWrites : uint8_t {
  kArrive,
  kLost,      // Writer and owner see the old bytes.
  kMirrored,  // The writer sees its own bytes, the owner the old ones.
};

}  // namespace sim
}  // namespace conveyor

#endif  // CONVEYOR_TESTING_SIM_DAMAGE_H_
