// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the page keeps between runs: layout, markers, pins.
#include <array>

#include "server/http/app.h"

namespace lanewise::server::http {
namespace {

constexpr size_t kMostState = 1 << 20;

Response load(Call& call) {
  auto json = call.app.state().load(call.pieces[0]);
  return json.ok() ? json_response(std::move(*json)) : error_response(json.status());
}

Response save(Call& call) {
  const auto json = call.request.read_body(kMostState);
  if (!json.ok()) return error_response(json.status());
  const Status saved = call.app.state().save(call.pieces[0], *json);
  return saved.ok() ? json_response("{}") : error_response(saved);
}

constexpr auto kRoutes = std::to_array<Route>({
    {"GET", "/api/state/{}", load},
    {"PUT", "/api/state/{}", save},
});

}  // namespace

std::span<const Route> state_routes() { return kRoutes; }

}  // namespace lanewise::server::http
