package import NIOCore

/// An executor that runs tasks on an event loop. Each connection belongs to the thread of one event loop. If a task
/// runs on this event loop, it can read from the connection and write to the connection without a change of threads.
/// Code of an actor still runs on the actor's own executor.
///
/// Without this executor one thread runs the tasks of all connections. `Scripts/bench fanout` then fails at 10 fixes
/// per second to 1,000 subscribers, because the daemon closes connections whose lines wait too long.
package final class LoopExecutor: TaskExecutor {
  private let eventLoop: any EventLoop

  package init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    eventLoop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
