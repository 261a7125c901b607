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

// Which bytes: rows, columns, chunks and pieces.

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "testing/sim/corpus/bench.h"
#include "testing/sim/corpus/program.h"

namespace conveyor {
namespace sim {
namespace {

constexpr size_t kPitch = 64;
constexpr size_t kRows = kBytes / kPitch;

void SetColumns(char* memory, char value, size_t first, size_t width,
                cudaStream_t stream) {
  Bench::Check(
      cudaMemset2DAsync(memory + first, kPitch, value, width, kRows, stream));
}

// Two pieces of one batch.
void Batch(Bench& m, char* first, char* second, size_t bytes) {
  void* const dsts[] = {first, second};
  const void* const srcs[] = {m.p, m.q};
  const size_t sizes[] = {bytes, bytes};
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  size_t index = 0;
  Bench::Check(
      cudaMemcpyBatchAsync(dsts, srcs, sizes, 2, &attributes, &index, 1, m.a));
}

bool ColumnsOverlapByOne(Bench& m) {
  SetColumns(m.d, 2, 0, 33, m.a);
  SetColumns(m.d, 3, 32, 32, m.b);
  m.SyncAll();
  return true;
}

bool ColumnReadTooEarly(Bench& m) {
  SetColumns(m.d, 2, 16, 16, m.a);
  Bench::Check(cudaMemcpy2DAsync(m.e, 16, m.d + 16, kPitch, 16, kRows,
                                 cudaMemcpyDeviceToDevice, m.b));
  return m.Holds(m.e, 2, 16 * kRows);
}

bool ChunksOverlapByOne(Bench& m) {
  constexpr size_t kChunk = kBytes / 4;
  m.Set(m.d, 2, m.a, kChunk + 1);
  m.Set(m.d + kChunk, 3, m.b, kChunk);
  m.SyncAll();
  return true;
}

// It uploads all but the last byte, and reads that of the next one's chunk.
bool ReadsOneByteTooFar(Bench& m) {
  HostFills(m.p, 2);
  m.Copy(m.d, m.p, m.a, kHalf);
  m.Copy(m.d + kHalf, m.p + kHalf, m.b, kHalf);
  m.Copy(m.e, m.d, m.a, kHalf + 1);
  return m.Holds(m.e, 2, kHalf + 1);
}

bool BatchPiecesOverlap(Bench& m) {
  HostFills(m.p, 1);
  HostFills(m.q, 2);
  Batch(m, m.d, m.d + 100, kHalf);
  return m.Holds(m.d + 100, 2, kHalf);
}

bool BatchSourceOverwritten(Bench& m) {
  HostFills(m.p, 2);
  HostFills(m.q, 2);
  Batch(m, m.d, m.d + kHalf, kHalf);
  HostFills(m.q, 3);
  return m.Holds(m.d, 2);
}

bool BatchReadTooEarly(Bench& m) {
  HostFills(m.p, 2);
  HostFills(m.q, 2);
  Batch(m, m.d, m.d + kHalf, kHalf);
  m.Copy(m.e, m.d, m.b);
  return m.Holds(m.e, 2);
}

bool InterleavedColumns(Bench& m) {
  SetColumns(m.d, 2, 0, 16, m.a);
  SetColumns(m.d, 2, 16, 16, m.b);
  SetColumns(m.d, 2, 32, 32, m.c);
  return m.Holds(m.d, 2);
}

// Even rows in one stream, odd rows in another.
bool InterleavedRows(Bench& m) {
  Bench::Check(cudaMemset2DAsync(m.d, 2 * kPitch, 2, kPitch, kRows / 2, m.a));
  Bench::Check(
      cudaMemset2DAsync(m.d + kPitch, 2 * kPitch, 2, kPitch, kRows / 2, m.b));
  return m.Holds(m.d, 2);
}

bool ChunksSideBySide(Bench& m) {
  HostFills(m.p, 1);
  constexpr size_t kChunk = kBytes / 16;
  const cudaStream_t streams[] = {m.a, m.b, m.c};
  for (size_t i = 0; i < 16; ++i) {
    const cudaStream_t stream = streams[i % 3];
    m.Copy(m.d + i * kChunk, m.p + i * kChunk, stream, kChunk);
    m.Increment(m.d + i * kChunk, stream, kChunk);
    m.Copy(m.q + i * kChunk, m.d + i * kChunk, stream, kChunk);
  }
  m.SyncAll();
  return HostSees(m.q, 2);
}

bool BatchPiecesSideBySide(Bench& m) {
  HostFills(m.p, 2);
  HostFills(m.q, 2);
  Batch(m, m.d, m.d + kHalf, kHalf);
  m.Increment(m.d, m.a);
  return m.Holds(m.d, 3);
}

bool PitchedUpload(Bench& m) {
  HostFills(m.p, 2);
  Bench::Check(cudaMemcpy2DAsync(m.d, kPitch, m.p, 32, 32, kRows,
                                 cudaMemcpyHostToDevice, m.a));
  // Between the rows.
  SetColumns(m.d, 2, 32, 32, m.b);
  return m.Holds(m.d, 2);
}

// What is overwritten at once is never read.
bool KernelInPlace(Bench& m) {
  m.Set(m.d, 1, m.a);
  for (int i = 0; i < 5; ++i) m.Increment(m.d, m.a);
  return m.Holds(m.d, 6);
}

}  // namespace

std::vector<Program> ShapePrograms() {
  const char* const set = "cudaMemset2DAsync";
  const char* const copy = "cudaMemcpyAsync";
  const char* const batch = "cudaMemcpyBatchAsync";
  return {
      {"columns_overlap_by_one", ColumnsOverlapByOne, Verdict::kHazard, set,
       set},
      {"column_read_too_early", ColumnReadTooEarly, Verdict::kHazard, set,
       "cudaMemcpy2DAsync"},
      {"chunks_overlap_by_one", ChunksOverlapByOne, Verdict::kHazard,
       "cudaMemsetAsync", "cudaMemsetAsync"},
      {"reads_one_byte_too_far", ReadsOneByteTooFar, Verdict::kHazard, copy,
       copy},
      {"batch_pieces_overlap", BatchPiecesOverlap, Verdict::kHazard, batch,
       batch, true},
      {"batch_source_overwritten", BatchSourceOverwritten, Verdict::kHazard,
       batch, "the host writes"},
      {"batch_read_too_early", BatchReadTooEarly, Verdict::kHazard, batch,
       copy},
      {"interleaved_columns", InterleavedColumns, Verdict::kRight},
      {"interleaved_rows", InterleavedRows, Verdict::kRight},
      {"chunks_side_by_side", ChunksSideBySide, Verdict::kRight},
      {"batch_pieces_side_by_side", BatchPiecesSideBySide, Verdict::kRight},
      {"pitched_upload", PitchedUpload, Verdict::kRight},
      {"kernel_in_place", KernelInPlace, Verdict::kRight},
  };
}

}  // namespace sim
}  // namespace conveyor
