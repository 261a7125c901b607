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
// File: pinned_span.h
// -----------------------------------------------------------------------------
//
// A range of page-locked host memory: what CopyAsync takes on the host's side.
// It converts to absl::Span; the way back is checked.
//
//   ABSL_ASSIGN_OR_RETURN(auto pinned,
//   PinnedSpan<float>::FromSpan(registered));

#ifndef CONVEYOR_TRANSFER_PINNED_SPAN_H_
#define CONVEYOR_TRANSFER_PINNED_SPAN_H_

#include "transfer/internal/host_span.h"
#include "transfer/memory_kind.h"

namespace conveyor {

// Elements of pinned host memory (cudaHostAlloc or cudaHostRegister) that
// somebody else owns. A value type; it must not outlive the memory or its
// registration. PinnedSpan<T> converts to PinnedSpan<const T>.
template <typename T>
using PinnedSpan = internal::HostSpan<T, MemoryKind::kPinned>;

}  // namespace conveyor

#endif  // CONVEYOR_TRANSFER_PINNED_SPAN_H_
