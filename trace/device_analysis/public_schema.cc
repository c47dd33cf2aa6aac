// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/public_schema.h"

#include "base/status.h"

namespace lanewise::trace::device_analysis {
namespace {

struct SchemaText {
  std::string_view table, columns;   // "name type [unit] [!], ..."; ! = required
};

constexpr SchemaText kSchema[] = {
    {"Instruction",
     "start_ts i64 ns !, end_ts i64 ns !, duration_ns i64 ns !, engine str !, timeline_track str, pcore_idx i64, opcode str !, operands str !, "
     "compiler_opcode str, compiler_operands str, id i64 !, pc i64 !, compiler_pc i64, penguin_id str, raw_penguin_id i64, bir_id str !, "
     "raw_bir_id i64, bir_instruction_name str, kernel_instruction_name str, crc_in i64, crc_out i64, evt_wait_time_ns i64 ns, hlo_attrs str, "
     "hlo_name str, raw_hlo_id i64, raw_framework_id i64, layer str, stack_frame_ids str, nki_source_location str, "
     "bir_debug_info_source_location str, dma_trigger_start_ts i64, dma_trigger_end_ts i64, dma_wait_time_ns i64 ns, instruction_chain str, "
     "hbm_read_bytes i64, hbm_write_bytes i64, sbuf_read_bytes i64, sbuf_write_bytes i64, spill_save_bytes i64, spill_reload_bytes i64, "
     "psum_read_bytes i64, psum_write_bytes i64, psum_read_sbuf_write_bytes i64, input_queue_bytes i64, output_queue_bytes i64, "
     "weight_queue_bytes i64, performance_mode str, tensor_instruction_type str, tensor_elements i64, raw_flops i64, adjusted_flops i64, "
     "tensor_elements_transpose i64, flops_transpose i64, adjusted_flops_transpose i64, scalar_activation_fn str"},
    {"ActiveTime",
     "start_ts i64 ns !, end_ts i64 ns !, engine str !, pcore_idx i64 !, duration_ns i64 ns !"},
    {"DmaPacket",
     "start_ts i64 ns !, end_ts i64 ns !, duration_ns i64 ns !, pcore_idx i64, id i64 !, packet_idx i32 !, packet_aggregation_id i64 !, "
     "engine_idx i64, read_bytes i64 B !, write_bytes i64 B !, transfer_bytes i64 B !, throughput f32 B/s !, queue_type str !, variable str, "
     "queue_name str, queue_idx i64, crc i64 !"},
    {"DmaPacketAggregated",
     "start_ts i64 ns !, end_ts i64 ns !, duration_ns i64 ns !, id i64 !, pcore_idx i64, block_id i32 !, queue_idx i64 !, queue_name str !, "
     "queue_type str, op str !, variable str !, read_bytes i64 B !, write_bytes i64 B !, transfer_bytes i64 B !, throughput f32 B/s !, "
     "source str !, dest str !, semaphore_id str !, modular_flow_function str, read_sbuf_partitions str !, read_num_sbuf_partitions i32 !, "
     "read_shape str !, read_offset str !, read_steps str !, write_sbuf_partitions str !, write_num_sbuf_partitions i32 !, write_shape str !, "
     "write_offset str !, write_steps str !, is_transpose_mode bool, transpose_element_size str, transpose_shape str, transpose_from_shape str, "
     "transpose_to_shape str, transpose_unroll_factor str, trigger i64, completion i64"},
    {"SemaphoreUpdate",
     "timestamp i64 ns !, id str !, value i32 !, update_source str, double_set_or_clear bool, update_mode i32, update_operation_type str, "
     "update_trigger_timing str, pcore_idx i64"},
    {"Flow",
     "in_id i64 !, out_id i64 !, in_table str !, out_table str !, dependency_type str, gap_time i64 ns"},
    {"SbufUsage",
     "timestamp i64 ns !, avg_util_percent f32 %, partition_0_util_percent f32 %, partition_32_util_percent f32 %, "
     "partition_64_util_percent f32 %, partition_96_util_percent f32 %, pcore_idx i64"},
    {"PsumUsage",
     "timestamp i64 ns !, avg_util_percent f32 %, bank_0_util_percent f32 %, bank_1_util_percent f32 %, bank_2_util_percent f32 %, "
     "bank_3_util_percent f32 %, bank_4_util_percent f32 %, bank_5_util_percent f32 %, bank_6_util_percent f32 %, bank_7_util_percent f32 %, "
     "pcore_idx i64"},
    {"DmaUsage",
     "timestamp i64 ns !, current_throughput f32 B/s !, total_transfer_bytes i64 B !, pcore_idx i64"},
    {"HbmUsage",
     "timestamp i64 ns !, current_throughput f32 B/s !, total_transfer_bytes i64 B !, pcore_idx i64"},
    {"PendingDma",
     "timestamp i64 ns !, value i32 !, pcore_idx i64"},
    {"Throttle",
     "duration i64 ns !, k i32 !, n i32 !, timestamp i64 ns !, type str !, pcore_idx i64"},
    {"ThrottleSummary",
     "nc_idx i32 !, throttle_type str, throttle_active_time_ns i64 ns, throttle_active_time_percent f32 %, "
     "max_achievable_util_with_throttling_percent f32 %"},
    {"ExecutionInfo",
     "execution_index i32 !, neff_name str, execution_start_ts i64 ns, execution_end_ts i64 ns, num_subgraphs i32, row_count i64"},
    {"SbufAllocation",
     "start_ts i64 ns !, end_ts i64 ns !, start_address i64 B !, end_address i64 B !, partition i64 !, op_source_type str, opcode str, "
     "operands str, queue_name str, block_id i64, tensor_name str, hlo_name str, pcore_idx i64"},
    {"OpcodeSummary",
     "engine str !, opcode str !, instruction_count i64 !, instruction_time_ns i64 ns !, active_time_ns i64 ns !, active_time_percent f32 !"},
    {"TensorInfo",
     "variable_name str, type str, format str, shape str, size i64 B, node i64, pcore_idx i64, load_to_sbuf_avg_size_bytes i64, "
     "load_to_sbuf_total_size_bytes i64, load_to_sbuf_dma_count i64, load_to_sbuf_repeat_factor f32"},
    {"FrameworkInstruction",
     "id i64 !, raw_bir_id i64 !, raw_penguin_id i64 !, raw_hlo_id i64 !, raw_framework_id i64 !, modular_flow_invocation_idx i64, "
     "framework_name str, start_ts i64 ns !, end_ts i64 ns !, time_intervals str !, element_count_per_interval i64[] !, "
     "transpose_element_count_per_interval i64[] !, hbm_transfer_size_per_interval i64[] B !, hbm_read_bytes i64 B !, hbm_write_bytes i64 B !, "
     "sbuf_read_bytes i64 B, sbuf_write_bytes i64 B, load_weight_bytes i64 B, tensor_engine_instruction_count i64, "
     "scalar_engine_instruction_count i64, sync_engine_instruction_count i64, gpsimd_engine_instruction_count i64, "
     "vector_engine_instruction_count i64"},
    {"StackFrame", "id str !, file_location_id i32 !, parent_frame_id str !"},
    {"StackFrameFileLocation", "id str !, file_name_id i32 !, function_name_id i32 !, line_number i32 !"},
    {"StackFrameFileName", "id str !, name str !"},
    {"StackFrameFunctionName", "id str !, name str !"},
    {"DmaQueuesInfo",
     "name str !, type str !, pcore_idx i64 !, idx i64 !, engine_idx i64 !, axi_port i64 !, dram_channel i64 !"},
    {"Summary",
     "total_time f32 s, neuroncore_cycle_count i64 cycle, model_flops i64 FLOP, hardware_flops i64 FLOP, transpose_flops i64 FLOP, "
     "adjusted_hardware_flops i64 FLOP, adjusted_transpose_flops i64 FLOP, mm_arithmetic_intensity f32, peak_flops_bandwidth_ratio f32, "
     "trace_count i64, event_count i64, total_row_count i64, dma_active_cycles i64 cycle, dma_active_time f32 s, dma_active_time_percent f32 %, "
     "static_dma_active_time f32 s, dynamic_dma_active_time_percent f32 %, static_dma_active_time_percent f32 %, "
     "dma_transfer_average_bytes f32 B, dma_packet_time f32 s, dma_transfer_time f32 s, dma_transfer_count i64, dma_transfer_total_bytes i64 B, "
     "dma_queue_count i64, inputs_and_weights_size_bytes i64 B, inputs_outputs_weights_size_bytes i64 B, weight_size_bytes i64 B, "
     "static_dma_packet_count i64, static_dma_size i64 B, dynamic_dma_packet_percent f32 %, static_dma_packet_percent f32 %, "
     "dynamic_dma_size_percent f32 %, static_dma_size_percent f32 %, mbu_estimated_percent f32 %, mbu_min_read_util_percent f32 %, "
     "hbm_write_bytes i64 B, hbm_read_bytes i64 B, sbuf_write_bytes i64 B, sbuf_read_bytes i64 B, spill_save_bytes i64 B, "
     "spill_reload_bytes i64 B, psum_write_bytes i64 B, psum_read_bytes i64 B, psum_read_sbuf_write_count i64, psum_read_sbuf_write_bytes i64 B, "
     "input_queue_bytes i64 B, output_queue_bytes i64 B, weight_queue_bytes i64 B, software_dynamic_dma_active_time f32 s, "
     "software_dynamic_dma_active_time_percent f32 %, software_dynamic_dma_packet_count i64, software_dynamic_dma_size i64 B, "
     "software_dynamic_dma_packet_percent f32 %, software_dynamic_dma_size_percent f32 %, hardware_dynamic_dma_active_time f32 s, "
     "hardware_dynamic_dma_active_time_percent f32 %, hardware_dynamic_dma_packet_count i64, hardware_dynamic_dma_size i64 B, "
     "hardware_dynamic_dma_packet_percent f32 %, hardware_dynamic_dma_size_percent f32 %, tensor_engine_instruction_time f32 s, "
     "tensor_engine_active_time f32 s, tensor_engine_active_time_percent f32 %, tensor_engine_instruction_count i64, "
     "matmul_instruction_count i64, mfu_estimated_percent f32 %, mfu_max_achievable_estimated_percent f32 %, mfu_hlo_estimated_percent f32 %, "
     "mfu_hlo_max_achievable_estimated_percent f32 %, mfu_inst_estimated_percent f32 %, mfu_inst_max_achievable_estimated_percent f32 %, "
     "hfu_estimated_percent f32 %, vector_engine_instruction_time f32 s, vector_engine_active_time f32 s, "
     "vector_engine_active_time_percent f32 %, vector_engine_instruction_count i64, scalar_engine_instruction_time f32 s, "
     "scalar_engine_active_time f32 s, scalar_engine_active_time_percent f32 %, scalar_engine_instruction_count i64, "
     "activate_instruction_time f32 s, activate_instruction_count i64, sync_engine_instruction_time f32 s, sync_engine_active_time f32 s, "
     "sync_engine_active_time_percent f32 %, sync_engine_instruction_count i64, gpsimd_engine_instruction_time f32 s, "
     "gpsimd_engine_active_time f32 s, gpsimd_engine_active_time_percent f32 %, gpsimd_engine_instruction_count i64, cc_op_time f32 s, "
     "cc_op_active_time f32 s, cc_op_active_time_percent f32 %, cc_op_count i64, cc_cores_instruction_time f32 s, "
     "cc_cores_instruction_active_time f32 s, cc_cores_instruction_active_time_percent f32 %, cc_cores_instruction_count i64, "
     "total_exec_time f32 s, total_active_time f32 s, total_active_time_percent f32 %"},
    {"Metadata",
     "profile_schema_version str !, ntff_version i32 !, num_physical_cores i32 !, vnc_enabled bool !, first_hw_timestamp i64 ns !, "
     "last_hw_timestamp i64 ns !, first_ts str !, last_ts str !, dma_ddr_bandwidth f32 B/s !, num_dma_engines_per_neuroncore i32 !, "
     "hbm_ddr_bandwidth f32 B/s !, tensor_engine_num_rows i64 !, tensor_engine_num_cols i64 !, tensor_engine_clock_freq f32 GHz !, "
     "vector_engine_clock_freq f32 GHz !, vector_engine_num_channels i64 !, scalar_engine_clock_freq f32 GHz !, scalar_engine_num_channels i64 !, "
     "gpsimd_engine_clock_freq f32 GHz !, gpsimd_engine_num_channels i64 !, neuroncore_clock_freq f32 GHz !, ticks_per_nanosec i64 !, "
     "instance_type str, runtime_version str, collectives_version str, driver_version str, explorer_version str, compiler_version str, "
     "neuroncore_idx i64, neuron_device_idx i64, ultraserver_id i64, ultraserver_type str, ultraserver_size i32, ultraserver_instance_index i32, "
     "s3_bucket_path str, profile_name str, explorer_build_time str, is_simulation bool"},
    {"NeffHeader",
     "network_name str, uuid str, hash str, enabled_features str, header_size i64 B, data_size i64 B, major_version i64, minor_version i64, "
     "package_version str, build_version str, cc_participant_count i64, neuroncore_count i64, logical_neuroncore_count i64, "
     "pcore_count_per_lnc i64"},
    {"Warning",
     "message str !, category str !"},
    {"SchemaFields",
     "table_name str !, table_description str !, field_name str !, field_description str !, field_example str, field_type str !, "
     "field_required bool !, field_format str, field_unit str, field_minimum f32, field_maximum f32, field_enum_values str"},
};

std::vector<PublicTableSchema> parse() {
  std::vector<PublicTableSchema> out;
  for (const SchemaText& text : kSchema) {
    PublicTableSchema table{std::string(text.table), {}};
    std::string_view left = text.columns;
    while (!left.empty()) {
      const size_t comma = left.find(", ");
      std::string_view words = left.substr(0, comma);
      left = comma == left.npos ? std::string_view() : left.substr(comma + 2);
      PublicColumn column;
      for (int i = 0; !words.empty(); ++i) {
        const size_t blank = words.find(' ');
        const std::string_view word = words.substr(0, blank);
        words = blank == words.npos ? std::string_view() : words.substr(blank + 1);
        if (i == 0) column.name = word;
        else if (i == 1) column.type = word;
        else if (word == "!") column.required = true;
        else column.unit = word;
      }
      table.columns.push_back(std::move(column));
    }
    out.push_back(std::move(table));
  }
  return out;
}

std::vector<analysis::ColumnSpec> specs(const PublicTableSchema& schema) {
  std::vector<analysis::ColumnSpec> out;
  for (const PublicColumn& c : schema.columns) {
    ColumnType type = ColumnType::integer;
    if (c.type == "str") type = ColumnType::text;
    else if (c.type == "f32" || c.type == "f64") type = ColumnType::real;
    else if (c.type == "bool") type = ColumnType::flag;
    else if (c.type == "i64[]") type = ColumnType::integers;
    else if (c.unit == "ns") type = ColumnType::ns;
    else if (c.unit == "B") type = ColumnType::bytes;
    out.push_back({c.name, type});
  }
  return out;
}

const PublicTableSchema& must_find(std::string_view name) {
  const PublicTableSchema* schema = find_public_schema(name);
  LW_CHECK(schema != nullptr, "no public table " + std::string(name));
  return *schema;
}

}  // namespace

const std::vector<PublicTableSchema>& public_schema() {
  static const auto* const schema = new std::vector<PublicTableSchema>(parse());
  return *schema;
}

const PublicTableSchema* find_public_schema(std::string_view table) {
  for (const PublicTableSchema& schema : public_schema()) {
    if (schema.name == table) return &schema;
  }
  return nullptr;
}

PublicTable::PublicTable(std::string_view name)
    : schema_(&must_find(name)), table_(schema_->name, specs(*schema_)), cells_(schema_->columns.size()), filled_(schema_->columns.size()) {
  for (size_t i = 0; i < schema_->columns.size(); ++i) index_.emplace(schema_->columns[i].name, i);
}

PublicTable& PublicTable::row() {
  finish_row();
  open_ = true;
  return *this;
}

PublicTable::Cell& PublicTable::cell(std::string_view column, std::string_view types) {
  const auto found = index_.find(column);
  LW_CHECK(found != index_.end(), "the public table " + schema_->name + " has no column " + std::string(column));
  const std::string& type = schema_->columns[found->second].type;
  LW_CHECK((" " + std::string(types) + " ").find(" " + type + " ") != std::string::npos, "the public column " + std::string(column) + " has another type");
  filled_[found->second] = true;
  Cell& c = cells_[found->second];
  c.set = true;
  return c;
}

PublicTable& PublicTable::set(std::string_view column, int64_t value) { return cell(column, "i64 i32 bool").whole = value, *this; }
PublicTable& PublicTable::set_real(std::string_view column, double value) { return cell(column, "f32 f64").real = value, *this; }
PublicTable& PublicTable::set(std::string_view column, std::string_view value) { return cell(column, "str").text = value, *this; }

PublicTable& PublicTable::set(std::string_view column, const std::vector<int64_t>& list) { return cell(column, "i64[]").list = list, *this; }

PublicTable& PublicTable::times(Picos begin, Picos end) {
  const int64_t from = ns_down(begin), to = ns_up(end);
  return set("start_ts", from).set("end_ts", to).set("duration_ns", to - from);
}

void PublicTable::finish_row() {
  if (!open_) return;
  auto writer = table_.row();
  for (size_t i = 0; i < cells_.size(); ++i) {
    Cell& c = cells_[i];
    const std::string& type = schema_->columns[i].type;
    if (!c.set) writer.null();
    else if (type == "str") writer.text(c.text);
    else if (type == "i64[]") writer.integers(std::move(c.list));
    else if (type == "f32" || type == "f64") writer.real(c.real);
    else writer.integer(c.whole);
    c = Cell();
  }
  open_ = false;
}

Table PublicTable::take(std::vector<std::string>* empty) {
  finish_row();
  for (size_t i = 0; i < filled_.size(); ++i) {
    if (!filled_[i] && table_.rows() > 0) empty->push_back(schema_->columns[i].name);
  }
  return std::move(table_);
}

}  // namespace lanewise::trace::device_analysis
