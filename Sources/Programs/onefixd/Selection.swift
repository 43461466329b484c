import Configuration
import Features
import Glibc
import OneFixClient

/// The options of the command line that select the board, the GNSS receiver and the configuration file.
struct SelectionOptions {
  var board: String?
  let receiver: String?
  let config: String?
  let boards: String?

  static let options: [OptionTable.Option] = [
    .init(
      "board", "NAME",
      "The board, by the name of its folder in Boards. (default: the board of the configuration, otherwise simulated)"),
    .init("receiver", "RECEIVER", "The receiver, one of: \(ReceiverSpec.forms). (default: the board's)"),
    .init("config", "FILE", "The configuration file. (default: /etc/onefix/onefix.toml, if it exists)"),
    .init(
      "boards", "FOLDER",
      """
      The folder of board descriptions. (default: Boards here, beside the program or above it, otherwise \
      /usr/share/onefix/boards)
      """),
  ]

  init(_ values: [String: String]) {
    board = values["board"]
    receiver = values["receiver"]
    config = values["config"]
    boards = values["boards"]
  }
}

/// The board, the GNSS receiver and the configuration that the options select.
struct Selection {
  let board: Board
  let configuration: GatewayConfiguration
  let receiver: ReceiverSpec
  let subject: Subject
  /// The path of the configuration file, which may not exist.
  let configurationFile: String

  var features: [any Feature] { configuration.features.compactMap { $0 as? any Feature } }

  /// Reads the configuration and the description of the board.
  /// - Parameters:
  ///   - options: The options of the command line.
  ///   - socket: The path of the Unix socket for apps; nil for the standard path.
  /// - Throws: `ConfigurationError` with all errors, each with its file and line.
  init(_ options: SelectionOptions, socket: String? = nil) throws(ConfigurationError) {
    let executable = unsafe realpath("/proc/self/exe", nil)
    defer { unsafe free(executable) }
    var search = BoardSearch(
      explicit: options.boards, executable: unsafe executable.map { unsafe String(cString: $0) })
    search.tables = featureTypes.filter { $0.isOfBoards }.map { $0.table }
    configurationFile = options.config ?? Subject.configurationFile
    var configuration = try GatewayConfiguration(
      readingFrom: configurationFile, isRequired: options.config != nil,
      features: featureTypes)
    let apps = Self.socketPath(socket)
    try configuration.checkSockets(apartFrom: [apps, OneFixClient.Endpoint.ownerPath(beside: apps)])
    let choice = options.board.map { BoardChoice(name: $0) } ?? configuration.board ?? BoardChoice(name: "simulated")
    board = try configuration.applied(to: try search.board(choice))
    try board.checkWiring()
    try configuration.addFeatures(of: board, featureTypes)
    self.configuration = configuration
    let other = try options.receiver.map { text throws(ConfigurationError) in try Selection.receiver(text) }
    receiver = other ?? board.receiver
    subject = Subject(board: board, configuration, receiver: other)
  }

  /// Returns the path of the Unix socket for apps: the given path, or the standard path if `given` is nil.
  static func socketPath(_ given: String?) -> String { given ?? OneFixClient.Endpoint.standardPath }

  /// Returns the path of the copy of the changes that are not on the disk: `unsaved` in the folder of a Unix socket.
  static func copyPath(beside socket: String) -> String {
    (socket.lastIndex(of: "/").map { String(socket[...$0]) } ?? "") + "unsaved"
  }

  private static func receiver(_ text: String) throws(ConfigurationError) -> ReceiverSpec {
    do {
      return try ReceiverSpec(text)
    } catch {
      throw ConfigurationError([Diagnostic(file: "--receiver", message: error.description)])
    }
  }
}
