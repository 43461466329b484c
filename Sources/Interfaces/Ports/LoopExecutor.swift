package import NIOCore

/// A task executor that runs tasks on the event loop of a connection, where the state of the connection may be read.
/// Code of an actor still runs on the actor's own executor.
package final class LoopExecutor: TaskExecutor {
  private let eventLoop: any EventLoop

  package init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    eventLoop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
