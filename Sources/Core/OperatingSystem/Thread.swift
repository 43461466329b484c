import Glibc

/// Starts a detached thread. The thread ends when the closure returns.
package func startThread(_ body: @escaping @Sendable () -> Void) throws(SystemFailure) {
  var thread = pthread_t()
  let context = unsafe Unmanaged.passRetained(ThreadBody(run: body)).toOpaque()
  let result = unsafe pthread_create(
    &thread, nil,
    { context in
      // SAFETY: the context is the object that `passRetained` retained for this thread.
      unsafe Unmanaged<ThreadBody>.fromOpaque(context!).takeRetainedValue().run()
      return nil
    }, context)
  guard result == 0 else {
    unsafe Unmanaged<ThreadBody>.fromOpaque(context).release()
    throw SystemFailure(number: result)
  }
  pthread_detach(thread)
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(run: @escaping @Sendable () -> Void) { self.run = run }
}
