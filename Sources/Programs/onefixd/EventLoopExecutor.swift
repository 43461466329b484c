import NIOCore
import NIOPosix

#if compiler(>=6.3) && compiler(<6.4)
  @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

  /// Runs timers, and tasks without an executor of their own, on an event loop that serves no sockets. A task on this
  /// executor must not block its thread.
  ///
  /// Dispatch, the default executor on Linux, wakes the idle daemon once per second. With this executor, the idle
  /// daemon does not wake up (`Scripts/bench footprint`).
  private final class EventLoopExecutor: TaskExecutor, SchedulingExecutor {
    static let shared = EventLoopExecutor()

    private let eventLoop = MultiThreadedEventLoopGroup._makePerpetualGroup(
      threadNamePrefix: "NIO-TASK-", numberOfThreads: 1
    ).next()

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      eventLoop.execute { self.run(job) }
    }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      guard let delay = delay as? Duration else { preconditionFailure("\(C.self) does not count in seconds") }
      let job = UnownedJob(job)
      eventLoop.scheduleTask(in: TimeAmount(delay)) { self.run(job) }
    }

    private func run(_ job: UnownedJob) {
      // The runtime requires that each job runs exactly once.
      unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  private enum Executors: ExecutorFactory {
    // The daemon does not use the main actor.
    static var mainExecutor: any MainExecutor { PlatformExecutorFactory.mainExecutor }
    static var defaultExecutor: any TaskExecutor { EventLoopExecutor.shared }
  }

  /// Replaces the default executor of tasks by an event loop. Call this function before the first task starts.
  func runTasksOnEventLoop() { _createExecutors(factory: Executors.self) }
#else
  /// Does nothing, because this version of the compiler has no known way to replace the default executor.
  func runTasksOnEventLoop() {}
#endif
