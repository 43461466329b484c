import LineProtocol
import NIOPosix
import OperatingSystem
import Ports

extension FileFeature: Feature {
  /// The count of file descriptors, two for each file. During a write, the daemon opens the file, then a temporary file
  /// and the folder.
  var openFiles: Int { outputs.count * 2 }

  func running(in daemon: DaemonContext) -> RunningFeature? {
    RunningFeature(
      services: outputs.map { output in
        let file = PointFile(path: output.path, format: output.format, mode: output.mode)
        let form = OutputForm(
          "file://\(output.path)", of: output.app, as: output.format.rawValue,
          hasPositionsOnly: output.format.hasPositionsOnly
        ) { fix in
          let point = output.format.point(fix)
          return [point.head, point.tail]
        }
        return daemon.running(
          EachPressOutput(form, of: output.app, over: .file, to: file, logger: daemon.logger(.output)))
      })
  }
}

// The thread pool writes the file, because a write to a slow storage card can take a long time.
extension PointFile: OutputTarget {
  func deliver(
    _ publication: Publication, while isIndicated: @escaping @Sendable () -> Bool
  ) async throws(OutputError) -> Bool {
    guard publication.messages.count == 2 else { return true }
    let point = PointFormat.Point(head: publication.messages[0].payload, tail: publication.messages[1].payload)
    return try await run { () throws(OutputError) in
      // The thread pool can be busy.
      guard isIndicated() else { return false }
      try append(point)
      return true
    }
  }

  func test() async throws(OutputError) { try await run { () throws(OutputError) in try rehearse() } }

  /// Runs an operation on the thread pool. After a cancellation of the task, the operation may not run, and the point is
  /// then not in the file.
  private func run<Value: Sendable>(
    _ operation: @escaping @Sendable () throws(OutputError) -> Value
  ) async throws(OutputError) -> Value {
    guard let result = await onThread(operation) else { throw OutputError("write", path, .writeFailed) }
    return try result.get()
  }
}
