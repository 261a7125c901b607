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
// File: managed_span.h
// -----------------------------------------------------------------------------
//
// A range of managed memory, which host and devices reach at one address.

#ifndef CONVEYOR_TRANSFER_MANAGED_SPAN_H_
#define CONVEYOR_TRANSFER_MANAGED_SPAN_H_

#include "transfer/internal/host_span.h"
#include "transfer/memory_kind.h"

namespace conveyor {

// Elements of managed memory (cudaMallocManaged) that somebody else owns. A
// value type; it must not outlive the memory. The host may dereference it only
// as ManagedBuffer says. ManagedSpan<T> converts to ManagedSpan<const T>.
template <typename T>
using ManagedSpan = internal::HostSpan<T, MemoryKind::kManaged>;

}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_MANAGED_SPAN_H_
