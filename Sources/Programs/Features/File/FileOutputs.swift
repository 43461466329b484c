import Configuration
import Gateway
import LineProtocol
import NIOPosix
import OperatingSystem
import Ports

extension FileFeature: Feature {
  /// The count of file descriptors, two for each file. For a short time, the daemon opens a file, the temporary file
  /// that replaces it, and its folder.
  var openFiles: Int { outputs.count * 2 }

  func running(in daemon: DaemonContext) -> (any RunningFeature)? {
    FileOutputs(
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

/// Runs the file outputs in the daemon, one service for each file.
struct FileOutputs: RunningFeature {
  let services: [any Service]
}

// The thread pool writes the file, because a write to a slow storage card can take a long time.
extension PointFile: OutputTarget {
  func deliver(_ publication: Publication) async throws(OutputError) {
    guard publication.messages.count == 2 else { return }
    let point = PointFormat.Point(head: publication.messages[0].payload, tail: publication.messages[1].payload)
    try await onThread { file throws(OutputError) in try file.append(point) }
  }

  func test() async throws(OutputError) { try await onThread { file throws(OutputError) in try file.rehearse() } }

  private func onThread(
    _ operation: @escaping @Sendable (PointFile) throws(OutputError) -> Void
  ) async throws(OutputError) {
    let result = try? await NIOThreadPool.singleton.runIfActive {
      Result { () throws(OutputError) in try operation(self) }
    }
    // The pool ends only with the process.
    try result?.get()
  }
}
