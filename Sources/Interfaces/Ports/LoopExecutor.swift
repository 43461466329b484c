package import NIOCore

/// Runs tasks on the event loop of a connection, so that they access the connection without a change of threads. Code
/// of an actor still runs on the actor's own executor. If one thread ran the tasks of all connections,
/// `Scripts/bench fanout` would fail at 10 fixes per second to 1,000 subscribers.
package final class LoopExecutor: TaskExecutor {
  private let eventLoop: any EventLoop

  package init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    eventLoop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
