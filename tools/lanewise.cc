// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The command `lanewise`. Commands that need PyTorch become a Python process of the environment it is installed in.
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "compiler/aten/graph.h"
#include "compiler/compile.h"
#include "machine/machine.h"
#include "sim/chip/chip.h"
#include "tools/command_analysis.h"
#include "tools/command_bench.h"
#include "tools/command_compare.h"
#include "tools/command_device.h"
#include "tools/command_export.h"
#include "tools/command_info.h"
#include "tools/command_line.h"
#include "tools/command_open.h"
#include "tools/command_validate.h"
#include "tools/command_view.h"
#include "tools/device_disasm.h"
#include "tools/device_run.h"
#include "tools/device_whatif.h"

namespace {

// Exit codes: 0 done, 1 the work failed, 2 the command line was wrong. Commands on traces: trace_input.h.
constexpr int kFailed = 1;
constexpr int kUsage = 2;

int fail(const lanewise::Status& status) {
  std::fprintf(stderr, "lanewise: %s\n", status.message().c_str());
  return status.code() == lanewise::StatusCode::invalid_argument || status.code() == lanewise::StatusCode::not_found
             ? kUsage
             : kFailed;
}

lanewise::Status table_without_csv() {
  return lanewise::invalid_argument("--table says which table --csv writes: add --csv. Text and --json show every table");
}

// The Python beside this executable, or LANEWISE_PYTHON.
std::string python_path() {
  if (const char* named = std::getenv("LANEWISE_PYTHON")) return named;
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "python3" : (self.parent_path() / "python").string();
}

// Becomes `python -m module arguments...`; returns only when that fails.
int become_python(const std::string& module, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {python_path(), "-m", module};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  std::fprintf(stderr, "lanewise: cannot start %s: %s. Run ./run first, or set LANEWISE_PYTHON.\n", argv[0],
               std::strerror(errno));
  return kUsage;
}

int print_machine(const std::string& spec) {
  auto rows = lanewise::machine::describe_machine(spec);
  if (!rows.ok()) return fail(rows.status());
  size_t key_width = 0, value_width = 0;
  for (const auto& row : *rows) {
    key_width = std::max(key_width, row.key.size());
    value_width = std::max(value_width, row.value.size());
  }
  for (const auto& row : *rows) {
    std::printf("%-*s  %*s  %s\n", static_cast<int>(key_width), row.key.c_str(), static_cast<int>(value_width),
                row.value.c_str(), row.source.c_str());
  }
  return 0;
}

// A descriptor that the caller closed would be given to the next file that is opened, and text meant for people would go into it.
void open_standard_descriptors() {
  for (int fd = 0; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) (void)!::open("/dev/null", O_RDWR);
  }
}

// An answer that did not reach its file must not look like one: kUsage and a sentence.
int after_output(int code) {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  if ((flushed && std::ferror(stdout) == 0) || errno == EPIPE) return code;  // whoever closed the pipe has seen enough
  std::fprintf(stderr, "lanewise: cannot write the answer: %s\n", errno != 0 ? std::strerror(errno) : "is the disk full?");
  return kUsage;
}

// One subcommand with the options that it takes; `arguments` is shared, since only one is parsed.
CLI::App* add_analysis(CLI::App* app, const lanewise::trace::analysis::Question& question, lanewise::tools::AnalysisArguments* arguments,
                       std::vector<std::string>* paths) {
  using namespace lanewise::trace::analysis;
  CLI::App* sub = app->add_subcommand(std::string(question.name), std::string(question.text));
  sub->add_option("file", *paths, "A trace, a capture folder, or a folder of ranks")->required();
  auto* json = sub->add_flag("--json", arguments->json, "The machine answer: all rows, integers in full (docs/commands.md)");
  sub->add_flag("--csv", arguments->csv, "One table with commas")->excludes(json);
  sub->add_option("--table", arguments->table, "Which table --csv writes");
  sub->add_option("--sort", arguments->sort, "COLUMN[:asc|:desc]");
  sub->add_option("--top", arguments->top, "Rows to show, 0 for all (text: 20; JSON is never cut)")->check(lanewise::tools::whole_number(0, "for all rows"));
  sub->add_flag("--strict", arguments->strict, "Exit 2 when the input is damaged");
  sub->add_option("--producers", arguments->producers, "A text file that adds accelerators (docs/producers.md)");
  sub->add_option("--fail-if", arguments->fail_if, "COLUMN>VALUE: exit 1 when a row exceeds it")->allow_extra_args(false);
  sub->add_option("--fail-on", arguments->fail_on, "KIND>N: exit 1 when more rows are of this kind")->allow_extra_args(false);
  if (question.options & kAskStep) sub->add_option("--step", arguments->steps, "N, N-M: these profiler steps")->delimiter(',')->allow_extra_args(false);
  if (question.options & kAskRank) sub->add_option("--rank", arguments->rank, "Only the file of this rank");
  if (question.options & kAskDevice) sub->add_option("--device", arguments->device, "Only this device, for instance cuda:0");
  if (question.options & kAskBetween) sub->add_option("--between", arguments->between, "FROM,TO from the start of the trace: 10ms,12.5ms");
  if (question.options & kAskName) sub->add_option("--name", arguments->name, "A part of the name, or a pattern with *");
  if (question.options & kAskBy) sub->add_option("--by", arguments->by, "Group also by shape, stack, module, step, rank")->delimiter(',')->allow_extra_args(false);
  if (question.options & kAskEvent) {
    sub->add_option("--event", arguments->event, "An event id, as the tables show it");
    sub->add_option("--nth", arguments->nth, "Which event of that name, from 1")->check(lanewise::tools::whole_number(1));
  }
  if (question.options & kAskTree) {
    sub->add_option("--thread", arguments->thread, "Only this tid");
    sub->add_flag("--bottom-up", arguments->bottom_up, "From what costs to who asked for it");
  }
  return sub;
}

int run(int argc, char** argv) {
  // Buffers of an import and columns of a table go back to the system when they are freed. By itself glibc keeps such blocks after
  // the first is freed: 10 % of the peak on a trace of 50 MB.
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  CLI::App app{"Lanewise: run, capture and see where the time went on an accelerator", "lanewise"};
  const std::string version = "lanewise " LANEWISE_VERSION " (simulator " + std::string(lanewise::sim::simulator_version()) +
                              ", compiler " + std::string(lanewise::compiler::compiler_version()) + ")";
  app.set_version_flag("--version", version);
  app.require_subcommand(1);

  auto* study = app.add_subcommand("study", "Run a study and compare its variants: lanewise study rmsnorm --help");
  study->allow_extras();
  study->prefix_command();
  study->set_help_flag();

  std::string spec = lanewise::machine::default_spec();
  auto* machine = app.add_subcommand("machine", "Every number of a machine preset with its source");
  machine->add_option("spec", spec, "NAME[,key=value...]; presets: trn1, trn2, trn3")->capture_default_str();

  std::vector<std::string> paths;  // of a command that takes one trace; only one command is parsed
  lanewise::tools::InfoArguments info_arguments;
  auto* info = app.add_subcommand("info", "What is in a trace and what happened to its bytes; FILE is a trace or a folder of ranks");
  info->add_option("file", paths, "FILE.json, .json.gz, .json.zst, or a folder")->required();
  info->add_flag("--json", info_arguments.json, "The machine answer (docs/commands.md)");
  info->add_flag("--strict", info_arguments.strict, "Exit 2 when the input is damaged");
  info->add_option("--producers", info_arguments.producers, "A text file that adds accelerators (docs/producers.md)");

  lanewise::tools::AnalysisArguments analysis_arguments;
  std::vector<CLI::App*> analyses;
  for (const auto& question : lanewise::trace::analysis::questions()) {
    analyses.push_back(add_analysis(&app, question, &analysis_arguments, &paths));
  }
  lanewise::tools::DeviceCommand device(app);
  lanewise::tools::DeviceWhatIf what_if(device.group());
  lanewise::tools::DeviceDisasm disasm(device.group());
  lanewise::tools::DeviceRun device_run(device.group());
  lanewise::tools::ViewCommand view(app);
  lanewise::tools::GenerateOptions generate_options;
  auto* bench = app.add_subcommand("bench", "Inputs for measurements");
  bench->require_subcommand(1);
  auto* generate = bench->add_subcommand("generate", "A synthetic trace with the shape of a real one (docs/trace_import.md)");
  generate->add_option("--like", generate_options.like, "The real trace, a JSON file")->required();
  generate->add_option("--events", generate_options.events, "How many events")->required();
  generate->add_option("--seed", generate_options.seed, "Other names, ids and times")->capture_default_str();
  generate->add_option("out", generate_options.out, "OUT.json or OUT.json.gz")->required();

  lanewise::tools::ExportArguments export_arguments;
  auto* exporting = app.add_subcommand("export", "A trace in the form of other tools (docs/commands.md)");
  exporting->add_option("file", paths, "A trace, a capture folder, a folder of ranks, or for --parquet and --perfetto a .neff or .ntff beside its other half")->required();
  auto* forms = exporting->add_option_group("form", "One of these");
  forms->add_option("--parquet", export_arguments.parquet, "DIR: every table as a Parquet file, device tables too (starts Python)");
  forms->add_option("--perfetto", export_arguments.perfetto, "OUT: a trace for ui.perfetto.dev");
  forms->add_option("--csv", export_arguments.csv, "DIR: every table as a CSV file");
  forms->require_option(1);
  exporting->add_flag("--semaphores", export_arguments.semaphores, "--perfetto of a device pair: values of semaphores as counters too");
  exporting->add_option("--producers", export_arguments.producers, "A text file that adds accelerators (docs/producers.md)");

  std::string report_html;
  bool report_redact = false;
  auto* report = app.add_subcommand("report", "One page that holds its own answers, to send to somebody (starts Python)");
  report->add_option("file", paths, "A trace, a capture folder, or a folder of ranks")->required();
  report->add_option("--html", report_html, "The page to write; it opens from disk, without a network")->required();
  report->add_flag("--redact", report_redact, "Without paths, hosts, and names that are not public");

  std::vector<std::string> sql_arguments(2);
  std::string sql_producers;
  bool sql_json = false, sql_csv = false;
  auto* sql = app.add_subcommand("sql", "SQL over the tables of a trace (starts Python; docs/python.md names the tables)");
  sql->add_option("file", sql_arguments[0], "A trace, a capture folder, or a folder of ranks")->required();
  sql->add_option("query", sql_arguments[1], "For instance: select name, calls from ops limit 5")->required();
  auto* as_json = sql->add_flag("--json", sql_json, "Rows as JSON");
  sql->add_flag("--csv", sql_csv, "Rows with commas")->excludes(as_json);
  sql->add_option("--producers", sql_producers, "A text file that adds accelerators (docs/producers.md)");

  lanewise::tools::CompareArguments compare_arguments;
  auto* compare = app.add_subcommand("compare", "Two or more traces: which operators and kernels replaced which, and where the time of a step went");
  compare->add_option("files", compare_arguments.paths, "A B [C ...]: traces, capture folders or folders of ranks; A is what the others are compared to")->required()->expected(2, -1);
  auto* compare_json = compare->add_flag("--json", compare_arguments.json, "The machine answer: all rows, integers in full (docs/commands.md)");
  compare->add_flag("--csv", compare_arguments.csv, "One table with commas")->excludes(compare_json);
  compare->add_option("--table", compare_arguments.table, "Which table --csv writes: sides, metrics, explain, rows");
  compare->add_option("--top", compare_arguments.top, "Rows to show in text (20), 0 for all")->check(lanewise::tools::whole_number(0, "for all rows"));
  compare->add_option("--step", compare_arguments.steps, "Only these profiler steps")->delimiter(',');
  compare->add_option("--fail-if", compare_arguments.fail_if, "METRIC>1.03x, or COLUMN>VALUE: exit 1 when it is exceeded")->expected(1)->take_all();
  compare->add_flag("--strict", compare_arguments.strict, "Exit 2 when an input is damaged");
  compare->add_option("--producers", compare_arguments.producers, "A text file that adds accelerators (docs/producers.md)");

  lanewise::tools::OpenArguments open_arguments;
  auto* open = app.add_subcommand("open", "The Explorer: look at traces in a browser (docs/explorer_server.md)");
  open->add_option("paths", open_arguments.paths, "Traces, capture folders, folders of ranks; none: the page with the recent ones");
  open->add_option("--port", open_arguments.port, "The port on 127.0.0.1 (default: 7424, else the next free one; 0: any)")->check(CLI::Range(0, 65535));
  open->add_flag("--no-open", open_arguments.no_open, "Start no browser");
  open->add_flag("--json", open_arguments.json, "One line on stdout, before anything is read: schema, url, port, pid");
  open->add_option("--allow-host", open_arguments.allowed_hosts, "Another name under which the server may be asked, for instance behind a proxy")->allow_extra_args(false);
  open->add_option("--source-root", open_arguments.source_roots, "A folder whose source files the page may show (default: the current one, and the Python packages beside lanewise)")->allow_extra_args(false);
  open->add_option("--stop-when-idle", open_arguments.stop_when_idle_s, "Stop after so many seconds without a request (default: never)")->check(lanewise::tools::whole_number(0));
  open->add_option("--upload-limit", open_arguments.upload_limit, "Largest upload in bytes")->capture_default_str();

  const lanewise::tools::ValidateCommand validate = lanewise::tools::add_validate(app);

  auto* operators = app.add_subcommand("operators", "ATen operators that have a lowering, one a line; the others run on the host");

  if (const auto code = lanewise::tools::answer_first_word(app, argc, argv)) return *code;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  if (study->parsed()) return become_python("lanewise.study", study->remaining());
  if (machine->parsed()) return print_machine(spec);
  if (validate.parsed()) return validate.run();
  if (operators->parsed()) {
    for (const std::string_view op : lanewise::compiler::aten::supported_ops()) std::puts(std::string(op).c_str());
    return 0;
  }
  if (open->parsed()) {
    open_arguments.version = LANEWISE_VERSION;
    open_arguments.python = python_path();
    return lanewise::tools::run_open(open_arguments);
  }
  if (compare->parsed()) {
    if (!compare_arguments.table.empty() && !compare_arguments.csv) return fail(table_without_csv());
    compare_arguments.top = lanewise::tools::rows_of_top(compare_arguments.top);
    return lanewise::tools::run_compare(compare_arguments);
  }
  std::string path;
  if (!paths.empty()) {
    auto one = lanewise::tools::one_trace(app.get_subcommands().front()->get_name(), paths);
    if (!one.ok()) return fail(one.status());
    path = std::move(*one);
  }
  if (report->parsed()) {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    std::vector<std::string> words = {"report", "--binary", error ? "lanewise" : self.string(), "--html", report_html};
    if (report_redact) words.push_back("--redact");
    words.insert(words.end(), {"--", path});
    return become_python("lanewise.trace.command", words);
  }
  if (sql->parsed()) {
    std::vector<std::string> words = {"sql"};
    if (sql_json) words.push_back("--json");
    if (sql_csv) words.push_back("--csv");
    words.push_back("--producers=" + sql_producers);
    words.insert(words.end(), {"--", sql_arguments[0], sql_arguments[1]});
    return become_python("lanewise.trace.command", words);
  }
  if (exporting->parsed() && !export_arguments.parquet.empty()) {
    return become_python("lanewise.trace.command",
                         {"parquet", "--producers=" + export_arguments.producers, "--", path, export_arguments.parquet});
  }
  if (exporting->parsed()) {
    export_arguments.path = path;
    return lanewise::tools::run_export(export_arguments);
  }
  if (info->parsed()) {
    info_arguments.path = path;
    return lanewise::tools::run_info(info_arguments);
  }
  if (!analysis_arguments.table.empty() && !analysis_arguments.csv) return fail(table_without_csv());
  analysis_arguments.path = path;
  analysis_arguments.top = lanewise::tools::rows_of_top(analysis_arguments.top);
  for (size_t i = 0; i < analyses.size(); ++i) {
    if (analyses[i]->parsed()) return lanewise::tools::run_analysis(lanewise::trace::analysis::questions()[i], analysis_arguments);
  }
  if (what_if.parsed()) return what_if.run();
  if (device.parsed()) return device.run();
  if (disasm.parsed()) return disasm.run();
  if (device_run.parsed()) return device_run.run();
  if (view.parsed()) {
    const std::vector<std::string> words = view.python_words();
    return words.empty() ? view.run() : become_python("lanewise.trace.command", words);
  }
  if (generate->parsed()) return lanewise::tools::run_bench_generate(generate_options);
  return kUsage;
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_descriptors();
  return after_output(run(argc, argv));
}
