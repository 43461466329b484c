import NIOCore
import NIOPosix

#if compiler(>=6.3) && compiler(<6.4)
  @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

  /// Runs what has no executor of its own, and ends what sleeps, on an event loop that has nothing else: no socket waits
  /// for a task.
  ///
  /// Swift's own executor on Linux is Dispatch, whose threads, once there is one, are looked at each second for good: a
  /// wake-up that nothing asked for. What runs here may not wait as a thread does: all other tasks would wait for it.
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
      // It is run once, as was promised when it came.
      unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  private enum Executors: ExecutorFactory {
    // Nothing of the daemon's is the main actor's.
    static var mainExecutor: any MainExecutor { PlatformExecutorFactory.mainExecutor }
    static var defaultExecutor: any TaskExecutor { EventLoopExecutor.shared }
  }

  /// Has tasks run on an event loop from now on. Comes before the first of them.
  func runTasksOnEventLoop() { _createExecutors(factory: Executors.self) }
#else
  /// Where it is not known how another executor is told to the runtime, tasks run on its own.
  func runTasksOnEventLoop() {}
#endif
