import Authorization
import Configuration
import Gateway
import LineProtocol
import NIOPosix
import Ports
import Telemetry

extension FileFeature: Feature {
  /// The file, its draft and its folder, which are open for a moment.
  var openFiles: Int { outputs.count * 2 }

  func running(in daemon: DaemonContext) -> (any RunningFeature)? {
    FileOutputs(
      services: outputs.map { output in
        let file = PointFile(path: output.path, format: output.format, mode: output.mode)
        let form = PointForm(path: output.path, app: output.app.name, format: output.format)
        return EachPressOutput(
          form, of: output.app, over: .file, to: file, for: daemon.gateway, logger: daemon.logger(.output))
      })
  }
}

/// The outputs to files.
struct FileOutputs: RunningFeature {
  let services: [any Service]
}

/// The format in which a fix waits for its file.
struct PointForm: PublicationForm {
  let name: String
  let address: String
  let expires = Duration.seconds(86_400)
  let mostWaiting = 64
  private let format: PointFormat

  init(path: String, app: String, format: PointFormat) {
    address = "file://\(path)"
    name = "\(address) \(app)"
    self.format = format
  }

  var hasPositionsOnly: Bool { format.hasPositionsOnly }

  func messages(_ fix: PublishedFix) -> [Publication.Message] {
    let point = format.point(fix)
    return [.init(topic: "", payload: point.head), .init(topic: "", payload: point.tail)]
  }
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
