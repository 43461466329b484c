package import Configuration

/// Checks the parsers of `onefix.toml` and `board.toml`: each fault has a line of the file, and a comment in front of the file
/// moves the lines of the faults and makes no other change.
public func configurationHolds(_ bytes: [UInt8]) {
  let lines = 1 + bytes.count { $0 == 0x0A }
  let read = configuration(bytes)
  verify(configuration(bytes), read)
  verify(read.faults, lines)
  if case .success(let configuration) = read, let source = configuration.receiver?.source { verify(source) }
  let board = Result { () throws(ConfigurationError) in try Board(parsing: bytes, file: "board.toml", name: "board") }
  verify(board.faults, lines)
  if case .success(let board) = board { verify(board.receiver) }
  if case (.success(let configuration), .success(let board)) = (read, board) {
    _ = try? configuration.applied(to: board)
  }
  // A byte order mark is valid only at the start. With invalid UTF-8, the first fault that is found depends on the number of
  // bytes that the TOML reader decodes at once.
  guard bytes.first != 0xEF, String(validating: bytes, as: UTF8.self) != nil else { return }
  let moved = configuration(Array("# A comment.\n".utf8) + bytes).faults
  precondition(moved.map { $0.line.map { $0 - 1 } } == read.faults.map(\.line))
}

/// The protocol of the types in `FeatureList.swift` in this target. The folder Parsers has that file and those of the
/// features.
package typealias ListedFeature = ConfiguredFeature

private func configuration(_ bytes: [UInt8]) -> Result<GatewayConfiguration, ConfigurationError> {
  Result { () throws(ConfigurationError) in
    try GatewayConfiguration(
      parsing: bytes, file: "onefix.toml", features: featureTypes, uid: { $0.isEmpty ? nil : UInt32($0.utf8.count) })
  }
}

/// Checks that two readings of one file have the same faults, keys, apps and features.
private func verify(
  _ first: Result<GatewayConfiguration, ConfigurationError>, _ second: Result<GatewayConfiguration, ConfigurationError>
) {
  precondition(first.faults == second.faults)
  guard case (.success(let first), .success(let second)) = (first, second) else { return }
  precondition(first.fixed == second.fixed && first.apps == second.apps && first.receiver == second.receiver)
  precondition(first.features.map { AnyHashable($0) } == second.features.map { AnyHashable($0) })
}

extension Result where Failure == ConfigurationError {
  fileprivate var faults: [Diagnostic] { if case .failure(let error) = self { error.diagnostics } else { [] } }
}

private func verify(_ faults: [Diagnostic], _ lines: Int) {
  for fault in faults {
    precondition(fault.line.map { (1...lines).contains($0) } != false)
    precondition(!fault.message.isEmpty)
    // The message is one line.
    precondition(!fault.message.utf8.contains { $0 < 0x20 || $0 == 0x7F })
  }
}

/// Checks that the description of a receiver parses to the same receiver.
private func verify(_ receiver: ReceiverSpec) {
  precondition((try? ReceiverSpec(receiver.description)) == receiver)
}
