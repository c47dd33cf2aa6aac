// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/trn2/table.h"

namespace lanewise::isa::trn2 {
namespace {

using enum What;
constexpr Evidence O = Evidence::observed, P = Evidence::published;

constexpr Field kHeader[] = {
    {0, 1, opcode}, {1, 1, words}, {4, 1, wait_kind}, {5, 1, wait_semaphore},
    {6, 1, update_kind}, {7, 1, update_semaphore}, {8, 4, wait_value},
};

constexpr Field kTensorTensor[] = {
    {12, 1, dtype_pair, Role::src0}, {13, 1, dtype, Role::dst}, {14, 1, alu}, {15, 1, partitions},
    {16, 16, pattern3, Role::src0}, {32, 16, pattern3, Role::src1}, {48, 16, pattern3, Role::dst},
};
constexpr Field kCopy[] = {
    {12, 20, pattern4, Role::src0}, {32, 1, dtype, Role::src0}, {33, 1, dtype, Role::dst}, {34, 1, partitions},
    {44, 20, pattern4, Role::dst},
};
constexpr Field kReduce[] = {
    {12, 20, pattern4, Role::src0}, {32, 1, dtype, Role::src0}, {33, 1, dtype, Role::dst}, {34, 1, partitions},
    {35, 1, negate}, {36, 1, alu}, {37, 1, reduced_dims}, {44, 20, pattern4, Role::dst},
};
constexpr Field kPool[] = {
    {12, 20, pattern4, Role::src0}, {32, 1, dtype, Role::src0}, {33, 1, dtype, Role::dst}, {34, 1, partitions},
    {36, 1, pool}, {37, 1, reduced_dims}, {40, 4, scale}, {44, 20, pattern4, Role::dst},
};
constexpr Field kTensorScalar[] = {
    {16, 16, pattern3, Role::src0}, {32, 1, dtype, Role::src0}, {33, 1, dtype, Role::dst}, {34, 1, partitions},
    {35, 1, immediate_source}, {36, 1, alu}, {37, 1, alu1}, {38, 1, reverse},
    {39, 1, immediate_source, Role::dst, P, Role::dst, 1}, {40, 4, immediate}, {44, 4, immediate, Role::dst, P, Role::dst, 1},
    {48, 16, pattern3, Role::dst},
};
constexpr Field kScalarTensorTensor[] = {
    {12, 12, pattern2, Role::src0}, {24, 12, pattern2, Role::src1}, {36, 1, alu}, {37, 1, alu1}, {38, 1, reverse},
    {39, 1, immediate_source}, {40, 1, dtype_pair, Role::src0}, {41, 1, dtype, Role::dst}, {42, 1, partitions},
    {43, 1, dtype, Role::scalar0}, {44, 1, accumulator}, {48, 12, pattern2, Role::dst}, {60, 4, immediate},
};
constexpr Field kActivate[] = {
    {12, 1, immediate_source, Role::dst, P, Role::dst, 2}, {13, 1, immediate_source}, {14, 1, accumulator},
    {15, 1, immediate_source_n, Role::dst, P, Role::dst, 1}, {16, 16, pattern3, Role::src0},
    {32, 1, dtype_pair, Role::src0, P, Role::scalar1}, {33, 1, dtype, Role::dst}, {34, 1, partitions}, {35, 1, function},
    {36, 4, immediate}, {40, 4, immediate, Role::dst, P, Role::dst, 1}, {44, 4, immediate, Role::dst, P, Role::dst, 2},
    {48, 16, pattern3, Role::dst},
};
constexpr Field kMemset[] = {
    {28, 4, elements}, {32, 1, dtype, Role::dst}, {34, 1, partitions}, {40, 4, fill}, {44, 20, counted_pattern, Role::dst},
};
constexpr Field kIota[] = {
    {12, 20, ramp}, {33, 1, dtype, Role::dst}, {34, 1, partitions}, {36, 4, partition_step}, {44, 20, pattern4, Role::dst},
};
constexpr Field kPredicated[] = {
    {12, 1, dtype_pair, Role::predicate, P, Role::src0}, {13, 1, dtype, Role::dst}, {15, 1, partitions},
    {16, 16, pattern3, Role::predicate}, {32, 16, pattern3, Role::src0}, {48, 16, pattern3, Role::dst},
};
constexpr Field kLoadWeights[] = {
    {16, 16, pattern3, Role::stationary}, {32, 1, dtype, Role::stationary}, {33, 1, pass}, {34, 1, transpose},
    {38, 1, rows, Role::dst, P}, {39, 1, columns, Role::dst, P}, {44, 1, row_groups, Role::dst, P},
    {45, 1, column_groups, Role::dst, P},
};
constexpr Field kMatmul[] = {
    {16, 16, pattern3, Role::moving}, {32, 1, dtype, Role::moving}, {33, 1, pass}, {34, 1, transpose},
    {38, 1, rows, Role::dst, P}, {39, 1, columns, Role::dst, P}, {40, 1, target_dtype, Role::dst, P}, {43, 1, accumulate},
    {44, 1, row_groups, Role::dst, P}, {45, 1, column_groups, Role::dst, P}, {48, 16, pattern3, Role::dst},
};
constexpr Field kTableLoad[] = {{35, 1, table_set}};
constexpr Field kDmaTrigger[] = {{12, 36, queue}, {48, 4, descriptor}};

constexpr EngineSet on(std::initializer_list<Engine> engines) {
  EngineSet set = 0;
  for (Engine e : engines) set |= bit(e);
  return set;
}
constexpr EngineSet kPe = on({Engine::pe}), kScalar = on({Engine::scalar}), kGpSimd = on({Engine::gpsimd}),
                    kTensor = on({Engine::vector, Engine::gpsimd}),
                    kElementwise = on({Engine::vector, Engine::gpsimd, Engine::scalar}), kVector = on({Engine::vector}),
                    kAll = on({Engine::pe, Engine::vector, Engine::scalar, Engine::gpsimd, Engine::sync});

constexpr OpcodeRow named(uint8_t code, std::string_view name) { return {code, name, kAll, {}, P, false, false, ""}; }
// Of the sequencer: no real instruction in the public definition of total_exec_time.
constexpr OpcodeRow named_setup(uint8_t code, std::string_view name) { return {code, name, kAll, {}, P, true, false, ""}; }

constexpr OpcodeRow kOpcodes[] = {
    {0x01, "LDWEIGHTS", kPe, kLoadWeights, O, false, true, "the array holds the stationary operand; columns come last first"},
    {0x02, "MATMUL", kPe, kMatmul, O, false, true, "the moving operand streams past what the array holds, into PSUM"},
    {0x21, "ACTIVATE", kScalar, kActivate, P, false, true, "dst = function(src0 * scale + bias)"},
    {0x23, "ACT_TABLE_LOAD", kScalar, kTableLoad, P, false, true, "loads a table set of the engine's JSON"},
    {0x41, "TENSOR_TENSOR", kTensor, kTensorTensor, O, false, true, "dst = src0 op src1"},
    {0x42, "TENSOR_REDUCE", kTensor, kReduce, P, false, true, "dst = op over the innermost dimensions of src0"},
    {0x43, "TENSOR_SCALAR", kElementwise, kTensorScalar, P, false, true, "dst = (src0 op scalar0) op1 scalar1"},
    {0x45, "POOL", kTensor, kPool, P, false, true, "dst = maximum, or sum * scale, over the innermost dimensions of src0"},
    {0x46, "COPY", kElementwise, kCopy, O, false, true, "dst = src0, one dtype"},
    {0x47, "CAST", kElementwise, kCopy, P, false, true, "dst = src0, converted"},
    {0x48, "RECIPROCAL", kVector, kCopy, P, false, true, "dst = 1 / src0"},
    {0x49, "MEMSET", kTensor, kMemset, P, false, true, "dst = a value"},
    {0x4e, "TENSOR_CUMULATIVE", kTensor, kReduce, P, false, true, "dst = running op along src0"},
    {0x51, "TENSOR_TENSOR_BITVEC", kTensor, kTensorTensor, P, false, true, "dst = src0 op src1, on bits"},
    {0x52, "TENSOR_REDUCE_BITVEC", kTensor, kReduce, P, false, true, "dst = op over the innermost dimensions of src0, on bits"},
    {0x53, "TENSOR_SCALAR_BITVEC", kTensor, kTensorScalar, P, false, true, "dst = (src0 op scalar0) op1 scalar1, on bits"},
    {0x5e, "TENSOR_CUMULATIVE_BITVEC", kTensor, kReduce, P, false, true, "dst = running op along src0, on bits"},
    {0x6b, "STREAM_TRANSPOSE", kVector, kCopy, P, false, true, "dst = src0 with blocks of 32 x 32 transposed"},
    {0x72, "COPY_PREDICATED", kTensor, kPredicated, P, false, true, "where predicate: dst = src0"},
    {0x7e, "IOTA", kGpSimd, kIota, P, false, true, "dst = base + partition * step + steps of the dimensions"},
    {0x83, "TRANSPOSE_TENSOR_REDUCE", kVector, kReduce, P, false, true, "TENSOR_REDUCE of transposed blocks"},
    {0x84, "TRANSPOSE_TENSOR_REDUCE_BITVEC", kVector, kReduce, P, false, true, "TENSOR_REDUCE_BITVEC of transposed blocks"},
    {0x93, "TRANSPOSE_TENSOR_SCALAR", kVector, kTensorScalar, P, false, true, "TENSOR_SCALAR of transposed blocks"},
    {0x99, "CAST_PREDICATED", kTensor, kPredicated, P, false, true, "where predicate: dst = src0, converted"},
    {0x9d, "SCALAR_TENSOR_TENSOR", kTensor, kScalarTensorTensor, P, false, true, "dst = (src0 op scalar0) op1 src1"},
    {0x9e, "SCALAR_TENSOR_TENSOR_BITVEC", kTensor, kScalarTensorTensor, P, false, true, "dst = (src0 op scalar0) op1 src1, on bits"},
    {0xe5, "TENSOR_TENSOR_SCAN", kTensor, kScalarTensorTensor, P, false, true, "dst = running (scalar0 op src0) op1 src1"},
    {0x9f, "ENGINE_NOP", kAll, {}, P, true, true, "only its wait and update, in the engine's order"},
    {0xa0, "EVENT_SEMAPHORE", kAll, {}, O, true, true, "only its wait: an instruction holds one, a second needs another"},
    {0xa2, "DRAIN", kAll, {}, P, true, true, "until everything before it has finished"},
    {0xa4, "NOP", kAll, {}, P, true, true, "only its wait; the last one of a program waits for the DMAs of its outputs"},
    {0xb1, "SET_ORDERING_MODE", kAll, {}, P, true, true, "first instruction of every engine"},
    {0xc1, "PSEUDO_DMA_TRIGGER", kAll, kDmaTrigger, O, false, true, "starts the descriptors of one id on a queue"},
    {0xcc, "PSEUDO_BRANCH_LABEL", kAll, {}, P, true, true, "second instruction of every engine: a place in the binary"},
    named(0x03, "PE_REG_WRITE"),
    named(0x04, "WEIGHT_MASK"),
    named(0x05, "WEIGHT_SHIFT"),
    named(0x06, "LDTAGS"),
    named(0x07, "MATMUL_SPARSE"),
    named(0x22, "ACTIVATE_QUANTIZE"),
    named(0x24, "ACTIVATION_READ_ACCUMULATOR"),
    named(0x30, "EXPONENTIAL"),
    named(0x44, "TENSOR_SCALAR_PTR"),
    named(0x4a, "REG_LOAD"),
    named(0x4b, "REG_STORE"),
    named(0x4c, "REG_SHUFFLE"),
    named(0x4d, "RNG"),
    named(0x4f, "TENSOR_SCALAR_PTR_MULTI"),
    named(0x54, "TENSOR_SCALAR_PTR_BITVEC"),
    named(0x58, "MAX_POOL_SELECT"),
    named(0x5f, "TENSOR_SCALAR_PTR_MULTI_BITVEC"),
    named(0x60, "BATCH_NORM_STATS"),
    named(0x61, "BATCH_NORM_STATS2"),
    named(0x62, "BATCH_NORM_AGGREGATE"),
    named(0x63, "BATCH_NORM_GRAD_ACCUMULATE"),
    named(0x64, "BATCH_NORM_PARAM_LOAD"),
    named(0x65, "BATCH_NORM_BACK_PROP"),
    named(0x66, "LOAD_PARAMETER_RAM"),
    named(0x67, "POOL_BUFFER_LOAD"),
    named(0x68, "GATHER"),
    named(0x69, "LOAD_MASK_SELECT"),
    named(0x6a, "STREAM_SHUFFLE"),
    named(0x6c, "MAX8"),
    named(0x6d, "MATCH_VALUE_LOAD"),
    named(0x6e, "FIND_INDEX8"),
    named(0x6f, "MATCH_REPLACE8"),
    named(0x70, "TENSOR_SCALAR_IMM_LD"),
    named(0x71, "TENSOR_SCALAR_IMM_LD_BITVEC"),
    named(0x73, "ROI_ALIGN"),
    named(0x74, "TENSOR_SCALAR_ADDR"),
    named(0x76, "RAND"),
    named(0x77, "RAND_GET_STATE"),
    named(0x78, "RAND_SET_STATE"),
    named(0x79, "EMBEDDING_UPDATE"),
    named(0x7a, "LOAD_POOL_ARGUMENT"),
    named(0x7b, "TENSOR_DEQUANTIZE"),
    named(0x7c, "CROSS_LANE_REDUCE"),
    named(0x7d, "CROSS_LANE_REDUCE_BITVEC"),
    named(0x7f, "DROPOUT"),
    named(0x81, "JPEG_DECODE"),
    named(0x82, "TRANSPOSE_BATCH_NORM_STATS2"),
    named(0x85, "CUSTOM_OP_HEADER"),
    named(0x86, "CUSTOM_OP_PAYLOAD"),
    named(0x8e, "BATCH_NORM_PARAM_LOAD2"),
    named(0x92, "TENSOR_SCALAR_AFFINE_SELECT"),
    named(0x94, "BATCH_NORM_GRAD_ACCUMULATE2"),
    named(0x95, "MODIFY_POOL_CONFIG"),
    named(0x96, "SORT"),
    named(0x98, "TENSOR_SCALAR_SELECT"),
    named(0x9a, "TENSOR_SCALAR_CACHE_REDUCE"),
    named(0x9b, "DVE_READ_ACCUMULATOR"),
    named(0x9c, "TENSOR_REDUCE_RANGE_CHECK"),
    named(0xa1, "HALT"),
    named(0xa3, "INSTRUCTION_FLUSH"),
    named_setup(0xa5, "WRITE"),
    named_setup(0xa6, "NOTIFY"),
    named(0xa7, "MOVE"),
    named(0xa8, "ALU_OP"),
    named_setup(0xa9, "COMPARE_BRANCH"),
    named_setup(0xaa, "TENSOR_LOAD"),
    named(0xab, "TENSOR_STORE"),
    named_setup(0xb0, "EVENT_SEMAPHORE_RANGE_CLEAR"),
    named(0xb2, "MOVE_SHAPE"),
    named(0xb3, "POLL_SEM"),
    named(0xb5, "BRANCH_PREFETCH_HINT"),
    named(0xb8, "DMA_MEMCPY"),
    named(0xbb, "DMA_INDIRECT"),
    named(0xbc, "RANGE_SELECT"),
    named(0xbd, "DMA_TRANSPOSE"),
    named(0xbe, "GET_SEQUENCE_BOUNDS"),
    named(0xbf, "SB2SB_COLLECTIVE"),
    named(0xc2, "PSEUDO_DMA_REARM"),
    named(0xc3, "PSEUDO_DMA_BARRIER"),
    named(0xc4, "PSEUDO_DMA_MEMCPY"),
    named(0xc5, "PSEUDO_SEMAPHORE_SET"),
    named(0xc6, "PSEUDO_LOAD_ACT_FUNC_SET"),
    named(0xc7, "PSEUDO_SET_TRANSFER_ADJUST"),
    named(0xc8, "PSEUDO_TRIGGER_COLLECTIVE"),
    named(0xc9, "PSEUDO_READ_VAR_ADDR"),
    named(0xca, "PSEUDO_EMBEDDING_UPDATE"),
    named(0xcb, "PSEUDO_SEND_RECV"),
    named(0xcd, "PSEUDO_TENSOR_STORE"),
    named(0xce, "PSEUDO_TENSOR_LOAD"),
    named(0xcf, "PSEUDO_DMA_SWAP_QUEUE_SET"),
    named(0xd0, "PSEUDO_SET_RNG_SEED"),
    named(0xd1, "PSEUDO_FUNCTION_BEGIN"),
    named(0xd2, "PSEUDO_FUNCTION_RETURN"),
    named(0xd3, "PSEUDO_FUNCTION_CALL"),
    named(0xd4, "PSEUDO_DMA_DIRECT2D"),
    named(0xd5, "PSEUDO_SYNC_BARRIER"),
    named(0xd6, "PSEUDO_RANGE_CHECK"),
    named(0xd7, "PSEUDO_JPEG_DECODE"),
    named(0xd8, "PSEUDO_CORE_BARRIER"),
    named(0xd9, "PSEUDO_TRIGGER_COLLECTIVE2"),
    named(0xda, "PSEUDO_EXTENSION"),
    named(0xdb, "PSEUDO_CUR_PROCESSING_RANK_ID"),
    named(0xdc, "PSEUDO_GID_LOAD"),
    named(0xdd, "PSEUDO_BRANCH_PREFETCH_HINT"),
    named(0xde, "PSEUDO_TENSOR_COMPLETION"),
    named(0xdf, "PSEUDO_INST"),
    named(0xe4, "CONV_LUT_LOAD"),
    named(0xe6, "TENSOR_SCALAR_CACHE_CUMULATIVE"),
    named(0xe7, "INDIRECT_COPY"),
    named(0xe8, "COPY_PREDICATED_SCALAR"),
    named(0xe9, "DVE_READ_INDICES"),
    named(0xea, "SELECT_REDUCE"),
    named(0xf0, "EXTENDED_INST"),
    named(0xf1, "DMA_GATHER_TRANSPOSE"),
    named(0xf2, "NONZERO_WITH_COUNT"),
};

}  // namespace

std::span<const Field> header_fields() { return kHeader; }
std::span<const OpcodeRow> opcode_rows() { return kOpcodes; }

const OpcodeRow* opcode_row(uint8_t code) {
  for (const OpcodeRow& row : kOpcodes)
    if (row.code == code) return &row;
  return nullptr;
}

}  // namespace lanewise::isa::trn2
