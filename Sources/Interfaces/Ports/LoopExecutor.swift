package import NIOCore

/// Runs tasks on the event loop of a connection. The state of a connection belongs to its event loop: a task that reads
/// this state on another thread would crash the program. Code of an actor still runs on the actor's own executor.
package final class LoopExecutor: TaskExecutor {
  private let eventLoop: any EventLoop

  package init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    eventLoop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
