// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// LSTM and GRU cells. PyTorch's recurrent layers call these fused ops on every device that is not the CPU, and they have no
// composite; here they are made of served ops. Gates stand side by side in dimension 1: [batch, gates * hidden].
//
//   LSTM  i, f, g, o      c' = sigmoid(f) c + sigmoid(i) tanh(g)      h' = sigmoid(o) tanh(c')
//   GRU   r, z, n         n = tanh(n_in + sigmoid(r) n_hidden)        h' = n + sigmoid(z) (h - n)
//
// The workspace keeps what the gradient needs: LSTM the four activated gates; GRU r, z, n, h, n_hidden.
#include <ATen/ATen.h>
#include <torch/library.h>

namespace lanewise::torch_backend {
namespace {

using at::Tensor;
using Optional = std::optional<Tensor>;

bool given(const Optional& t) { return t && t->defined(); }
Tensor plus(const Tensor& t, const Optional& bias) { return given(bias) ? t + *bias : t; }
Tensor bias_gradient(bool has_bias, const Tensor& gates) { return has_bias ? gates.sum(0) : Tensor(); }
// d sigmoid and d tanh from their results.
Tensor through_sigmoid(const Tensor& gradient, const Tensor& s) { return gradient * s * (1 - s); }
Tensor through_tanh(const Tensor& gradient, const Tensor& t) { return gradient * (1 - t * t); }

std::tuple<Tensor, Tensor, Tensor> lstm_cell(const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& cx,
                                             const Optional& input_bias, const Optional& hidden_bias) {
  const Tensor gates = plus(input_gates, input_bias) + plus(hidden_gates, hidden_bias);
  const auto part = gates.chunk(4, 1);
  const Tensor i = part[0].sigmoid(), f = part[1].sigmoid(), g = part[2].tanh(), o = part[3].sigmoid();
  const Tensor cy = f * cx + i * g;
  return {o * cy.tanh(), cy, at::cat({i, f, g, o}, 1)};
}

std::tuple<Tensor, Tensor, Tensor> lstm_cell_backward(const Optional& grad_hy, const Optional& grad_cy, const Tensor& cx,
                                                      const Tensor& cy, const Tensor& workspace, bool has_bias) {
  if (!given(grad_hy) && !given(grad_cy)) return {};
  const auto part = workspace.chunk(4, 1);
  const Tensor &i = part[0], &f = part[1], &g = part[2], &o = part[3];
  const Tensor tanh_cy = cy.tanh();
  const Tensor into_h = given(grad_hy) ? *grad_hy : at::zeros_like(cx);
  Tensor into_c = through_tanh(into_h * o, tanh_cy);
  if (given(grad_cy)) into_c = into_c + *grad_cy;
  const Tensor gates = at::cat({through_sigmoid(into_c * g, i), through_sigmoid(into_c * cx, f), through_tanh(into_c * i, g),
                                through_sigmoid(into_h * tanh_cy, o)}, 1);
  return {gates, into_c * f, bias_gradient(has_bias, gates)};
}

std::tuple<Tensor, Tensor> gru_cell(const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& hx,
                                    const Optional& input_bias, const Optional& hidden_bias) {
  const auto in = plus(input_gates, input_bias).chunk(3, 1), hidden = plus(hidden_gates, hidden_bias).chunk(3, 1);
  const Tensor r = (in[0] + hidden[0]).sigmoid(), z = (in[1] + hidden[1]).sigmoid();
  const Tensor n = (in[2] + r * hidden[2]).tanh();
  return {n + z * (hx - n), at::cat({r, z, n, hx, hidden[2]}, 1)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> gru_cell_backward(const Tensor& grad_hy, const Tensor& workspace, bool has_bias) {
  const auto part = workspace.chunk(5, 1);
  const Tensor &r = part[0], &z = part[1], &n = part[2], &hx = part[3], &n_hidden = part[4];
  const Tensor into_z = through_sigmoid(grad_hy * (hx - n), z), into_n = through_tanh(grad_hy * (1 - z), n);
  const Tensor into_r = through_sigmoid(into_n * n_hidden, r);
  const Tensor in = at::cat({into_r, into_z, into_n}, 1), hidden = at::cat({into_r, into_z, into_n * r}, 1);
  return {in, hidden, grad_hy * z, bias_gradient(has_bias, in), bias_gradient(has_bias, hidden)};
}

// TransformerEncoder asks this before it packs a padded batch into a nested tensor, which this device does not have.
bool no_nested_tensors(const Tensor&, const Tensor&) { return false; }

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_thnn_fused_lstm_cell", TORCH_FN(lstm_cell));
  m.impl("_thnn_fused_lstm_cell_backward_impl", TORCH_FN(lstm_cell_backward));
  m.impl("_thnn_fused_gru_cell", TORCH_FN(gru_cell));
  m.impl("_thnn_fused_gru_cell_backward", TORCH_FN(gru_cell_backward));
  m.impl("_nested_tensor_from_mask_left_aligned", TORCH_FN(no_nested_tensors));
}

}  // namespace
}  // namespace lanewise::torch_backend
