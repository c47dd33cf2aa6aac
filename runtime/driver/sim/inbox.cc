// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/sim/inbox.h"

#include <algorithm>
#include <string>

#include "runtime/driver/sim/forked_child.h"
#include "trace/record/capture.h"

namespace lanewise::runtime::sim_driver {
namespace {

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

Inbox::Inbox(int device, int queue_depth) : device_(device), queue_depth_(queue_depth) {}

Status Inbox::usable() const {
  std::string name = "neuron:" + std::to_string(device_);
  if (in_forked_child())
    return failed_precondition(name + " was opened before fork() and cannot be used in the child; start workers with the "
                                      "'spawn' method");
  if (on_worker()) return failed_precondition("a host call on " + name + " cannot wait for the device that runs it");
  return ok_status();
}

Status Inbox::push(Work& work, Waited* waited) {
  if (in_forked_child()) return usable();
  QueueState& queue = *work.queue;
  bool wake = false;
  {
    std::unique_lock lock(mutex_);
    if (queue.in_flight >= queue_depth_ && !closed()) {
      if (on_worker())
        return resource_exhausted("the queue of neuron:" + std::to_string(device_) +
                                  " is full, and a host call cannot wait for room in it");
      waited->from_ns = trace::record::now_ns();
      ++room_waiters_;
      room_made_.wait(lock, [&] { return queue.in_flight < queue_depth_ || closed(); });
      --room_waiters_;
      waited->to_ns = trace::record::now_ns();
      work.submitted_ns = waited->to_ns;
    }
    if (closed()) return failed_precondition("neuron:" + std::to_string(device_) + " is closed");
    ++queue.in_flight;
    queue.last = work.fence;
    if (work.kind == WorkKind::execute) {
      work.open_launch = open_.push({work.origin.name, false});
      ++open_count_;
    }
    work_.push(std::move(work));
    has_work_.store(true, std::memory_order_release);
    wake = worker_sleeps_;
    worker_sleeps_ = false;
  }
  if (wake) work_added_.notify_one();
  return ok_status();
}

void Inbox::bind_worker() { worker_.store(std::this_thread::get_id(), std::memory_order_release); }

// Waking a sleeping thread costs the submitter more than the submission itself, so the worker looks around for as long
// as a wake-up would take before it goes to sleep. This is not pacing: no deadline is ever waited for like this.
void Inbox::poll_for_work() const {
  static const bool alone = std::thread::hardware_concurrency() < 2;
  if (alone) return;
  constexpr int64_t kPollNs = 20'000;
  const int64_t until = trace::record::now_ns() + kPollNs;
  do {
    for (int i = 0; i < 64; ++i) {
      if (has_work_.load(std::memory_order_acquire) || closed()) return;
      pause_briefly();
    }
  } while (trace::record::now_ns() < until);
}

bool Inbox::pop(Work* work) {
  std::unique_lock lock(mutex_);
  if (work_.empty() && !closed()) {
    lock.unlock();
    poll_for_work();
    lock.lock();
    while (work_.empty() && !closed()) {
      worker_sleeps_ = true;
      work_added_.wait(lock);
    }
    worker_sleeps_ = false;
  }
  if (work_.empty()) return false;
  *work = work_.pop();
  if (work_.empty()) has_work_.store(false, std::memory_order_relaxed);
  return true;
}

void Inbox::finish(Completion completion) {
  QueueState& queue = *completion.queue;
  bool notify = false;
  {
    std::lock_guard lock(mutex_);
    if (completion.open_launch != kNotALaunch) {
      open_.at(completion.open_launch).done = true;
      --open_count_;
      while (!open_.empty() && open_.at(open_.head()).done) open_.pop();
    }
    --queue.in_flight;
    // Under the lock, so that the books and the fence never tell two stories.
    completion.fence->signal(std::move(completion.status), completion.start_ns, completion.end_ns);
    notify = room_waiters_ > 0;
  }
  if (notify) room_made_.notify_all();
}

void Inbox::fail(QueueState& queue, const Status& status) {
  std::lock_guard lock(mutex_);
  if (queue.failure.ok()) queue.failure = status;
}

Status Inbox::failure(const QueueState& queue) const {
  std::lock_guard lock(mutex_);
  return queue.failure;
}

bool Inbox::idle(const QueueState& queue) const {
  std::lock_guard lock(mutex_);
  return queue.in_flight == 0;
}

void Inbox::close() {
  {
    std::lock_guard lock(mutex_);
    closed_.store(true, std::memory_order_release);
  }
  work_added_.notify_all();
  room_made_.notify_all();
}

Status Inbox::drain(QueueState& queue) {
  LW_RETURN_IF_ERROR(usable());
  std::shared_ptr<Fence> last;
  {
    std::lock_guard lock(mutex_);
    last = queue.last;
  }
  // Its own failure is in `failure` too.
  if (last) (void)last->wait();
  std::lock_guard lock(mutex_);
  return std::exchange(queue.failure, ok_status());
}

bool Inbox::forgettable(const QueueState& queue) const {
  std::lock_guard lock(mutex_);
  return queue.in_flight == 0 && queue.failure.ok();
}

int64_t Inbox::launches_open() const {
  std::lock_guard lock(mutex_);
  return open_count_;
}

std::vector<uint32_t> Inbox::open_launch_names(size_t limit) const {
  std::vector<uint32_t> names;
  std::lock_guard lock(mutex_);
  for (uint64_t i = open_.head(); i != open_.tail() && names.size() < limit; ++i)
    if (!open_.at(i).done) names.push_back(open_.at(i).name);
  return names;
}

}  // namespace lanewise::runtime::sim_driver
