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

// Managed memory: advice, prefetching, and what is known of a range.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "testing/sim/api.h"
#include "testing/sim/capture.h"
#include "testing/sim/machine.h"
#include "testing/sim/managed.h"
#include "testing/sim/migrate.h"
#include "testing/sim/queue.h"
#include "testing/sim/registry.h"

using conveyor::sim::Allocation;
using conveyor::sim::Call;
using conveyor::sim::InvalidateCapture;
using conveyor::sim::kNoLocation;
using conveyor::sim::ManagedPages;
using conveyor::sim::OpKind;
using conveyor::sim::PageState;
using conveyor::sim::PlaceBit;
using conveyor::sim::Prefetch;
using conveyor::sim::Stream;
using conveyor::sim::TheMachine;
using conveyor::sim::Work;

namespace {

struct Target {
  ManagedPages* pages = nullptr;
  size_t offset = 0;
  size_t size = 0;
};

// Other than managed memory is refused: the simulated devices do not reach
// pageable memory.
cudaError_t Resolve(Call& call, const void* address, size_t size,
                    Target* target) {
  if (address == nullptr || size == 0) return cudaErrorInvalidValue;
  Allocation* const found = call.machine().memory.Find(address);
  if (found == nullptr || found->managed == nullptr) {
    return cudaErrorInvalidValue;
  }
  *target = {found->managed.get(), found->OffsetOf(address), size};
  return size <= target->pages->size() - target->offset ? cudaSuccess
                                                        : cudaErrorInvalidValue;
}

// Replaces what depends on the caller or does not matter. The simulated host
// has one NUMA node.
cudaError_t Resolve(Call& call, cudaMemLocation* location) {
  switch (location->type) {
    case cudaMemLocationTypeDevice:
      return call.IsDevice(location->id) ? cudaSuccess : cudaErrorInvalidDevice;
    case cudaMemLocationTypeHost:
      location->id = cudaCpuDeviceId;
      return cudaSuccess;
    case cudaMemLocationTypeHostNuma:
      return location->id == 0 ? cudaSuccess : cudaErrorInvalidValue;
    case cudaMemLocationTypeHostNumaCurrent:
      *location = {cudaMemLocationTypeHostNuma, 0};
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

bool IsLocationType(cudaMemLocationType type) {
  return type >= cudaMemLocationTypeDevice &&
         type <= cudaMemLocationTypeHostNumaCurrent;
}

// Where its bytes are: a device, cudaCpuDeviceId, or cudaInvalidDeviceId.
int PlaceOf(const cudaMemLocation& location) {
  switch (location.type) {
    case cudaMemLocationTypeDevice:
      return location.id;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
      return cudaCpuDeviceId;
    default:
      return cudaInvalidDeviceId;
  }
}

cudaError_t Advise(Call& call, const Target& target, cudaMemoryAdvise advice,
                   cudaMemLocation location) {
  if (!IsLocationType(location.type)) return cudaErrorInvalidValue;
  const bool accessed = advice == cudaMemAdviseSetAccessedBy ||
                        advice == cudaMemAdviseUnsetAccessedBy;
  if (accessed && location.type != cudaMemLocationTypeDevice &&
      location.type != cudaMemLocationTypeHost) {
    return cudaErrorInvalidValue;
  }
  if (accessed || advice == cudaMemAdviseSetPreferredLocation) {
    // Of the errors of a prefetch none but this.
    if (Resolve(call, &location) != cudaSuccess) return cudaErrorInvalidValue;
  }
  const uint64_t bit = accessed ? PlaceBit(PlaceOf(location)) : 0;
  target.pages->Update(target.offset, target.size,
                       [&](PageState* state, size_t) {
                         switch (advice) {
                           case cudaMemAdviseSetReadMostly:
                             state->read_mostly = true;
                             break;
                           case cudaMemAdviseUnsetReadMostly:
                             state->read_mostly = false;
                             // One of the copies stays.
                             state->resident &= ~(state->resident - 1);
                             break;
                           case cudaMemAdviseSetPreferredLocation:
                             // CUDA takes NUMA nodes and forgets them.
                             if (location.type != cudaMemLocationTypeHostNuma) {
                               state->preferred = location;
                             }
                             break;
                           case cudaMemAdviseUnsetPreferredLocation:
                             state->preferred = kNoLocation;
                             break;
                           case cudaMemAdviseSetAccessedBy:
                             state->accessed_by |= bit;
                             break;
                           case cudaMemAdviseUnsetAccessedBy:
                             state->accessed_by &= ~bit;
                             break;
                         }
                       });
  return cudaSuccess;
}

// What all pages have in common, or no location.
cudaMemLocation Common(const Target& target,
                       cudaMemLocation PageState::*member) {
  cudaMemLocation common = kNoLocation;
  bool first = true;
  target.pages->ForEach(
      target.offset, target.size, [&](const PageState& state, size_t) {
        const cudaMemLocation& location = state.*member;
        if (first) common = location;
        first = false;
        if (location.type != common.type || location.id != common.id) {
          common = kNoLocation;
        }
      });
  return common;
}

cudaMemLocation Preferred(const Target& target) {
  return Common(target, &PageState::preferred);
}

int ReadMostly(const Target& target) {
  int all = 1;
  target.pages->ForEach(target.offset, target.size,
                        [&](const PageState& state, size_t) {
                          if (!state.read_mostly) all = 0;
                        });
  return all;
}

void ListAccessedBy(const Call& call, const Target& target, int* places,
                    size_t count) {
  uint64_t all = ~uint64_t{0};
  target.pages->ForEach(
      target.offset, target.size,
      [&](const PageState& state, size_t) { all &= state.accessed_by; });
  size_t used = 0;
  const auto list = [&](int place) {
    if ((all & PlaceBit(place)) != 0 && used < count) places[used++] = place;
  };
  for (int i = 0; i < call.machine().profile.device_count(); ++i) list(i);
  list(cudaCpuDeviceId);
  while (used < count) places[used++] = cudaInvalidDeviceId;
}

cudaError_t CheckAttribute(const void* data, size_t data_size,
                           cudaMemRangeAttribute attribute) {
  if (data == nullptr || attribute < cudaMemRangeAttributeReadMostly ||
      attribute > cudaMemRangeAttributeLastPrefetchLocationId) {
    return cudaErrorInvalidValue;
  }
  const bool sized = attribute == cudaMemRangeAttributeAccessedBy
                         ? data_size != 0 && data_size % sizeof(int) == 0
                         : data_size == sizeof(int);
  return sized ? cudaSuccess : cudaErrorInvalidValue;
}

// Its arguments have been checked.
void GetAttribute(const Call& call, const Target& target,
                  cudaMemRangeAttribute attribute, void* data,
                  size_t data_size) {
  auto* const value = static_cast<int*>(data);
  switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
      *value = ReadMostly(target);
      break;
    case cudaMemRangeAttributePreferredLocation:
      *value = PlaceOf(Preferred(target));
      break;
    case cudaMemRangeAttributeAccessedBy:
      ListAccessedBy(call, target, value, data_size / sizeof(int));
      break;
    case cudaMemRangeAttributeLastPrefetchLocation:
      *value = PlaceOf(Common(target, &PageState::prefetched));
      break;
    case cudaMemRangeAttributePreferredLocationType:
      *value = Preferred(target).type;
      break;
    case cudaMemRangeAttributePreferredLocationId:
      *value = Preferred(target).id;
      break;
    case cudaMemRangeAttributeLastPrefetchLocationType:
      *value = Common(target, &PageState::prefetched).type;
      break;
    case cudaMemRangeAttributeLastPrefetchLocationId:
      *value = Common(target, &PageState::prefetched).id;
      break;
  }
}

}  // namespace

cudaError_t cudaMemAdvise(const void* dev_ptr, size_t count,
                          cudaMemoryAdvise advice, cudaMemLocation location) {
  Call call(__func__, TheMachine().profile.copy_issue_ns);
  if (call.refused()) return call.Return(call.refusal());
  if (const cudaError_t error = call.CheckUnsafe()) return call.Return(error);
  Target target;
  if (const cudaError_t error = Resolve(call, dev_ptr, count, &target)) {
    return call.Return(error);
  }
  if (advice < cudaMemAdviseSetReadMostly ||
      advice > cudaMemAdviseUnsetAccessedBy) {
    return call.Return(cudaErrorInvalidValue);
  }
  if (call.machine().profile.concurrent_managed == 0) {
    return call.Return(cudaErrorInvalidDevice);
  }
  return call.Return(Advise(call, target, advice, location));
}

cudaError_t cudaMemPrefetchAsync(const void* dev_ptr, size_t count,
                                 cudaMemLocation location, unsigned flags,
                                 cudaStream_t stream) {
  Call call(__func__, TheMachine().profile.copy_issue_ns);
  if (call.refused()) return call.Return(call.refusal());
  Stream* const found = call.Find(stream);
  if (found == nullptr) return call.Return(cudaErrorInvalidResourceHandle);
  Target target;
  if (const cudaError_t error = Resolve(call, dev_ptr, count, &target)) {
    return call.Return(error);
  }
  if (flags != 0) return call.Return(cudaErrorInvalidValue);
  if (call.machine().profile.concurrent_managed == 0) {
    return call.Return(cudaErrorInvalidDevice);
  }
  if (const cudaError_t error = Resolve(call, &location)) {
    return call.Return(error);
  }
  if (found->capture != nullptr) {
    InvalidateCapture(found);
    return call.Return(cudaErrorStreamCaptureUnsupported);
  }
  Work work;
  work.kind = OpKind::kPrefetch;
  Prefetch(call.machine().profile, target.pages, target.offset, target.size,
           PlaceOf(location), &work.transfers);
  target.pages->Update(
      target.offset, target.size,
      [&](PageState* state, size_t) { state->prefetched = location; });
  return call.Return(call.Enqueue(found, std::move(work)));
}

cudaError_t cudaMemRangeGetAttribute(void* data, size_t data_size,
                                     cudaMemRangeAttribute attribute,
                                     const void* dev_ptr, size_t count) {
  Call call(__func__, TheMachine().profile.pointer_query_ns);
  if (call.refused()) return call.Return(call.refusal());
  Target target;
  if (const cudaError_t error = Resolve(call, dev_ptr, count, &target)) {
    return call.Return(error);
  }
  if (const cudaError_t error = CheckAttribute(data, data_size, attribute)) {
    return call.Return(error);
  }
  GetAttribute(call, target, attribute, data, data_size);
  return call.Return(cudaSuccess);
}

cudaError_t cudaMemRangeGetAttributes(void** data, size_t* data_sizes,
                                      cudaMemRangeAttribute* attributes,
                                      size_t num_attributes,
                                      const void* dev_ptr, size_t count) {
  Call call(__func__, TheMachine().profile.pointer_query_ns);
  if (call.refused()) return call.Return(call.refusal());
  if (data == nullptr || data_sizes == nullptr || attributes == nullptr ||
      num_attributes == 0) {
    return call.Return(cudaErrorInvalidValue);
  }
  Target target;
  if (const cudaError_t error = Resolve(call, dev_ptr, count, &target)) {
    return call.Return(error);
  }
  for (size_t i = 0; i < num_attributes; ++i) {
    if (const cudaError_t error =
            CheckAttribute(data[i], data_sizes[i], attributes[i])) {
      return call.Return(error);
    }
  }
  for (size_t i = 0; i < num_attributes; ++i) {
    GetAttribute(call, target, attributes[i], data[i], data_sizes[i]);
  }
  return call.Return(cudaSuccess);
}
