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
// File: vector_types.h
// -----------------------------------------------------------------------------
//
// Vector types, as far as Conveyor uses them. See driver_types.h.

#ifndef CONVEYOR_TESTING_SIM_INCLUDE_VECTOR_TYPES_H_
#define CONVEYOR_TESTING_SIM_INCLUDE_VECTOR_TYPES_H_

struct uint3 {
  unsigned int x, y, z;
};

struct alignas(8) uint2 {
  unsigned int x, y;
};

struct alignas(16) uint4 {
  unsigned int x, y, z, w;
};

struct alignas(16) int4 {
  int x, y, z, w;
};

struct alignas(8) float2 {
  float x, y;
};

struct alignas(16) float4 {
  float x, y, z, w;
};

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};

#endif  // CONVEYOR_TESTING_SIM_INCLUDE_VECTOR_TYPES_H_
