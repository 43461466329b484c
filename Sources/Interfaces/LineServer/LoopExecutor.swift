package import NIOCore

/// Runs what a task does outside of actors on an event loop: what comes from there, or goes there, takes no way over another
/// thread.
package final class LoopExecutor: TaskExecutor {
  private let eventLoop: any EventLoop

  package init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    eventLoop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
