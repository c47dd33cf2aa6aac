// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/validate_text.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <map>

namespace lanewise::tools {
namespace {

__attribute__((format(printf, 1, 2))) std::string text(const char* format, ...) {
  char buffer[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

// What every capture together says of a kind.
struct Total {
  int64_t n = 0;
  double weighted_pct = 0, worst_pct = 0;
  std::string worst;
  bool reached = true;
};

std::string floor_of(const lab::KindRow& k) { return k.floor_pct < 0 ? "" : text("%.1f", k.floor_pct); }

std::map<std::string, Total> totals(const std::vector<lab::Validation>& all) {
  std::map<std::string, Total> out;
  for (const lab::Validation& v : all)
    for (const lab::KindRow& k : v.kernels[0].kinds) {
      Total& t = out[k.kind];
      t.n += k.n;
      t.weighted_pct += k.mae_pct * static_cast<double>(k.n);
      t.reached &= k.reached();
      if (t.worst.empty() || k.mae_pct > t.worst_pct) t.worst_pct = k.mae_pct, t.worst = v.kernels[0].name;
    }
  return out;
}

}  // namespace

std::string validate_text(const std::vector<lab::Validation>& all) {
  std::string out;
  for (const lab::Validation& v : all) {
    for (const lab::KernelRow& kernel : v.kernels) {
      out += text("%s: ours %.1f ns, captured %.1f ns, error %+.1f %%\n", kernel.name.c_str(), kernel.ours_ns,
                  kernel.captured_ns, 100 * kernel.error());
      if (&kernel != &v.kernels[0]) continue;
      out += "  kind                    n   ours ns  captured ns  MAE %   MAE ns  floor %\n";
      for (const lab::KindRow& k : kernel.kinds)
        out += text("  %-18s %6lld %9.1f %12.1f %6.1f %8.1f %8s%s\n", k.kind.c_str(), static_cast<long long>(k.n), k.ours_ns,
                    k.captured_ns, k.mae_pct, k.mae_ns, floor_of(k).c_str(), k.reached() ? "" : "  above 5 % and two ticks");
    }
    out += text("  records %lld, of unknown kind %lld\n", static_cast<long long>(v.records), static_cast<long long>(v.unknown));
    for (const std::string& s : v.sentences) out += "  " + s + "\n";
  }
  return out;
}

std::string validate_markdown(const std::vector<lab::Validation>& all, const machine::Machine& machine) {
  std::string out =
      "# How true the timing model is\n\n"
      "Made by `lanewise validate --markdown ../shared/hardware`; not edited by hand. The files are public captures of a trn2.3xlarge (compiler 2.21).\n"
      "Each captured program is replayed on the units of the simulator: same instructions, same dependencies, our times (`lab/replay.h`).\n";
  out += "Machine: `" + machine.spec + "`.\n\n";
  out += "MAE: mean of |ours - captured| / captured over all instructions of a kind. Aim: 5 %, or two ticks of the unit's clock, and 10 % for a kernel.\n"
         "What each kind compares is in `lab/validate.h`. Floor: the MAE of the best model that gives the 16 DMA engines of a transfer the same times, found with\n"
         "the capture in hand (`KindRow::floor_pct`); where it is above 5 %, the aim is out of reach for every model that does not know which engine comes when.\n"
         "Held-out captures: `docs/fidelity_holdout.md`.\n\n## Kernels\n\n"
         "| Capture | Ours, ns | Captured, ns | Error |\n|---|---|---|---|\n";
  for (const lab::Validation& v : all)
    out += text("| %s | %.0f | %.0f | %+.1f %% |\n", v.kernels[0].name.c_str(), v.kernels[0].ours_ns, v.kernels[0].captured_ns,
                100 * v.kernels[0].error());
  for (const lab::Validation& v : all) {
    out += "\n## " + v.kernels[0].name + "\n\n| Kind | n | Ours, ns | Captured, ns | MAE, % | MAE, ns | Floor, % |\n|---|---|---|---|---|---|---|\n";
    for (const lab::KindRow& k : v.kernels[0].kinds)
      out += text("| %s | %lld | %.1f | %.1f | %.1f%s | %.1f | %s |\n", k.kind.c_str(), static_cast<long long>(k.n), k.ours_ns,
                  k.captured_ns, k.mae_pct, k.reached() ? "" : " (above the aim)", k.mae_ns, floor_of(k).c_str());
  }
  out += "\n## Where it is off\n\n";
  int off = 0;
  for (const lab::Validation& v : all)
    if (std::abs(v.kernels[0].error()) > 0.1) {
      ++off;
      out += text("- The whole of %s: %+.1f %%.\n", v.kernels[0].name.c_str(), 100 * v.kernels[0].error());
    }
  for (const auto& [kind, t] : totals(all)) {
    if (t.reached) continue;
    ++off;
    out += text("- %s: %.1f %% over all %lld; worst in %s, %.1f %%.\n", kind.c_str(), t.weighted_pct / static_cast<double>(t.n),
                static_cast<long long>(t.n), t.worst.c_str(), t.worst_pct);
  }
  if (off == 0) out += "Nowhere above the aim in these captures.\n";
  out +=
      "\n## What the model does not have\n\n"
      "- Device memory answers evenly. In the captures reads wait up to 1.2 us, mostly those of pages that nothing has read before. The model has the mean of it\n"
      "  (`dma.page_ps`, `dma.scattered_read_bytes`) and puts the wait between descriptors; the captures have it inside one or the other of 16 engines, and which one the program\n"
      "  does not say. That is most of what is left of DMA_OCCUPANCY (compare the floor), and of DMA_LATENCY: a wait drains what waits to be written.\n"
      "- Descriptors that cast and others in turn on one engine: the captures let pairs overtake each other.\n"
      "- Pairs of DMA engines stop for 0.3 to 1 us in the middle of a long row of stores (transpose_1024, once each); nothing in the program says where.\n"
      "- The tensor engine reads moving columns at one rate. In the captures fp16 columns 32 bytes apart lose 25 ns in every third instruction.\n"
      "- Engines begin with the program when their captured prologue ended, and the window of the tensor engine's limiter begins when its records say: both come from\n"
      "  the capture, because neither is a property of the program.\n"
      "- The size of descriptors comes from the capture as well: which rows the runtime puts into one is not modelled.\n"
      "- Our own programs are timed on the same units, `sim/chip/time_program`: steps and limiter of the tensor engine, stages of Vector, Scalar and GpSimd, the numbers of\n"
      "  each sequencer. Their limiter's first window begins with the program. What no capture here shows is carried over: GpSimd at wide strides, results that an engine\n"
      "  reads from itself without a semaphore, the port and the banks that engines share.\n"
      "- DMAs are still timed in two ways: captured ones descriptor by descriptor (`sim/unit/dma/rings.h`), those of our own programs as a share of each DMA engine's time\n"
      "  (`sim/unit/dma/engines.h`). The DMA rows above speak of the first.\n"
      "- The numbers of the machine file were fitted to these same four captures, those of the DMA engines by trying about eight forms of the model and choosing by its errors here;\n"
      "  that waits of first and strided reads stand before a descriptor and not inside it was chosen so, too, and DMA_OCCUPANCY therefore speaks of undisturbed descriptors. What the\n"
      "  numbers are worth on another capture: `docs/fidelity_holdout.md` (fitted on three, asked about the fourth: convolutions and addition hold, the transpose does not).\n";
  return out;
}

}  // namespace lanewise::tools
