// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/eager_launch.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <set>

#include <ATen/native/Resize.h>
#include <torch/library.h>

#include "compiler/aten/graph.h"
#include "torch_backend/csrc/fallback.h"
#include "torch_backend/csrc/graph_program.h"
#include "torch_backend/csrc/launch_arguments.h"
#include "torch_backend/csrc/launch_plan.h"
#include "torch_backend/csrc/program_cache.h"
#include "torch_backend/csrc/storage.h"

namespace lanewise::torch_backend {
namespace {

using Stack = torch::jit::Stack;

// A backend key that nobody registers: its kernels are PyTorch's own composites.
constexpr c10::DispatchKey kComposite = c10::DispatchKey::PrivateUse3;

// The plan of a call: from the cache, else made.
std::shared_ptr<const LaunchPlan> plan_of(OpForm& form, c10::ArrayRef<c10::IValue> values, LaunchArguments& arguments) {
  ProgramCache& cache = ProgramCache::instance();
  const bool literal = form.compile_scalars_in.load(std::memory_order_relaxed);
  collect(form, values, literal, arguments);
  uint64_t hash = arguments.key.hash();
  if (auto plan = cache.find(arguments.key, hash)) [[likely]] return plan;
  auto plan = make_plan(form, values, arguments, literal);
  if (!plan->refusal.empty() && !literal && !arguments.parameters.empty()) {
    // The lowering may want this op's scalars as constants.
    LaunchArguments constants;
    collect(form, values, true, constants);
    auto other = make_plan(form, values, constants, true);
    if (other->refusal.empty()) {
      form.compile_scalars_in.store(true, std::memory_order_relaxed);
      arguments = std::move(constants);
      plan = std::move(other);
      hash = arguments.key.hash();
    }
  }
  cache.insert(arguments.key, hash, plan);
  return plan;
}

void resize_out(const OpForm& form, c10::ArrayRef<c10::IValue> values, const LaunchPlan& plan) {
  size_t next = 0;
  const auto resize = [&](const at::Tensor& out) {
    const FreshTensor& shape = plan.resized_out[next++];
    if (out.sizes() == c10::IntArrayRef(shape.sizes)) return;
    at::native::resize_output_check(out, shape.sizes);   // warns when values are lost
    resize_tensor(out, shape.sizes, c10::IntArrayRef(shape.strides));
  };
  for (size_t i = 0; i < form.arguments().size(); ++i) {
    if (!form.arguments()[i].written) continue;
    if (values[i].isTensor()) {
      resize(values[i].toTensor());
    } else {
      for (const at::Tensor& tensor : values[i].toTensorVector()) resize(tensor);
    }
  }
}

// Allocates the new tensors and submits; the results of a functional form are in `fresh`.
void run(OpForm& form, const LaunchPlan& plan, LaunchArguments& arguments, std::vector<at::Tensor>& fresh) {
  fresh.reserve(plan.fresh.size());
  for (const FreshTensor& shape : plan.fresh) fresh.push_back(make_tensor(arguments.device, shape.sizes, shape.strides, shape.dtype));
  if (plan.program == nullptr) return;
  std::vector<runtime::DeviceAddress> buffers;
  buffers.reserve(arguments.tensors.size() + fresh.size());
  const bool writes = form.variant() != OpForm::Variant::functional;   // then any of them may be the target
  for (const at::Tensor* tensor : arguments.tensors) buffers.push_back(writes ? writable_address_of(*tensor) : address_of(*tensor));
  for (const at::Tensor& tensor : fresh) buffers.push_back(address_of(tensor));
  plan.program->submit(arguments.device, std::move(buffers), arguments.parameters, form.interned_name());
  form.launches.fetch_add(1, std::memory_order_relaxed);
}

void push_functional(const LaunchPlan& plan, std::vector<at::Tensor>& fresh, Stack& stack) {
  size_t next = 0;
  const auto take_one = [&]() -> at::Tensor {
    const int32_t index = plan.results[next++];
    return index < 0 ? at::Tensor() : std::move(fresh[index]);
  };
  for (int32_t length : plan.list_lengths) {
    if (length < 0) {
      stack.emplace_back(take_one());
      continue;
    }
    c10::List<at::Tensor> list;
    list.reserve(length);
    for (int32_t i = 0; i < length; ++i) list.push_back(take_one());
    stack.emplace_back(std::move(list));
  }
}

// An in-place or out= form returns the arguments that it wrote, if it returns anything.
void replace_by_written(const OpForm& form, Stack& stack) {
  const size_t count = form.arguments().size();
  const size_t first = stack.size() - count;
  c10::SmallVector<c10::IValue, 2> written;
  if (!form.op().schema().returns().empty())
    for (size_t i = 0; i < count; ++i)
      if (form.arguments()[i].written) written.push_back(std::move(stack[first + i]));
  torch::jit::drop(stack, count);
  for (c10::IValue& value : written) stack.push_back(std::move(value));
}

class Launcher final : public c10::OperatorKernel {
 public:
  explicit Launcher(OpForm& form) : form_(form) {}

  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet, Stack* stack) {
    const size_t count = form_.arguments().size();
    while (true) {
      const auto values = torch::jit::last(*stack, count);
      LaunchArguments arguments;
      const auto plan = plan_of(form_, values, arguments);
      if (!plan->refusal.empty()) [[unlikely]] return refused(op, stack, plan->refusal);
      if (!plan->resized_out.empty()) [[unlikely]] {
        resize_out(form_, values, *plan);
        continue;
      }
      std::vector<at::Tensor> fresh;
      run(form_, *plan, arguments, fresh);
      if (form_.variant() != OpForm::Variant::functional) return replace_by_written(form_, *stack);
      torch::jit::drop(*stack, count);
      return push_functional(*plan, fresh, *stack);
    }
  }

 private:
  // PyTorch's composite of the op, if there is one, launches smaller ops; else the host. (The composites of structured
  // ops only call the out= form and come back here.)
  static void refused(const c10::OperatorHandle& op, Stack* stack, const std::string& reason) {
    const bool has_parts = op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd) ||
                           op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd);
    if (has_parts) {
      op.redispatchBoxed(c10::DispatchKeySet(kComposite), stack);
    } else {
      run_on_host(op, stack, reason);
    }
  }

  OpForm& form_;
};

std::deque<std::unique_ptr<OpForm>>& registered_forms() {
  static auto* forms = new std::deque<std::unique_ptr<OpForm>>;
  return *forms;
}

OpForm& copy_form() {
  // Not an op of the dispatcher in this shape, but exactly an out= form: functional _to_copy stored into `out`.
  static auto* form = [] {
    auto& dispatcher = c10::Dispatcher::singleton();
    return new OpForm(dispatcher.findSchemaOrThrow("aten::_to_copy", "out"), dispatcher.findSchemaOrThrow("aten::_to_copy", ""),
                      OpForm::Variant::out);
  }();
  return *form;
}

}  // namespace

int register_eager_ops() {
  static auto* library = new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::PrivateUse1, __FILE__, __LINE__);
  std::set<std::string> taken;   // a form that serves two rows of the table is registered for the first
  for (std::string_view name : compiler::aten::supported_ops()) {
    for (auto& form : forms_of(name)) {
      if (form->op().hasKernelForDispatchKey(c10::DispatchKey::PrivateUse1) || !taken.insert(form->name()).second) continue;
      library->impl(form->name().c_str(), torch::CppFunction::makeFromBoxedFunctor(std::make_unique<Launcher>(*form)));
      registered_forms().push_back(std::move(form));
    }
  }
  return static_cast<int>(registered_forms().size());
}

// One entry a launch, as scripts expect; a loop that runs for days must not fill the memory with them.
constexpr size_t kExecutedOpsListed = 1'000'000;

std::vector<std::string> executed_ops() {
  std::vector<std::string> names;
  for (const auto& form : registered_forms()) {
    const size_t room = kExecutedOpsListed - names.size();
    names.insert(names.end(), std::min<size_t>(room, form->launches.load(std::memory_order_relaxed)), form->name());
  }
  return names;
}

void clear_executed_ops() {
  for (const auto& form : registered_forms()) form->launches.store(0, std::memory_order_relaxed);
}

std::vector<std::string> registered_ops() {
  std::vector<std::string> names;
  for (const auto& form : registered_forms()) names.push_back(form->name());
  return names;
}

void launch_copy(const at::Tensor& source, const at::Tensor& target) {
  OpForm& form = copy_form();
  Stack values(form.arguments().size());
  values.front() = source;
  for (size_t i = 0; i < form.arguments().size(); ++i)
    if (form.arguments()[i].written) values[i] = target;
  const auto non_blocking = form.op().schema().argumentIndexWithName("non_blocking");
  if (non_blocking) values[*non_blocking] = false;
  LaunchArguments arguments;
  const auto plan = plan_of(form, values, arguments);
  TORCH_CHECK_NOT_IMPLEMENTED(plan->refusal.empty(), "copy on device neuron: ", plan->refusal);
  std::vector<at::Tensor> fresh;
  run(form, *plan, arguments, fresh);
}

}  // namespace lanewise::torch_backend
