import Configuration

/// What owners write: any bytes are a configuration, or every fault of them is told with its line; and what stands in
/// front of it moves the lines, and nothing else.
public func configurationHolds(_ bytes: [UInt8]) {
  let lines = 1 + bytes.count { $0 == 0x0A }
  let read = configuration(bytes)
  precondition(configuration(bytes) == read)
  verify(read.faults, lines)
  if case .success(let configuration) = read, let source = configuration.receiver?.source { verify(source) }
  let board = Result { () throws(ConfigurationError) in try Board(parsing: bytes, file: "board.toml", name: "board") }
  verify(board.faults, lines)
  if case .success(let board) = board { verify(board.receiver) }
  if case (.success(let configuration), .success(let board)) = (read, board) {
    _ = try? configuration.applied(to: board)
  }
  // A byte order mark stands first or nowhere; and which comes first, a byte that is no UTF-8 or another fault in front
  // of it, depends on how many bytes are decoded at once.
  guard bytes.first != 0xEF, String(validating: bytes, as: UTF8.self) != nil else { return }
  let moved = configuration(Array("# A comment.\n".utf8) + bytes).faults
  precondition(moved.map { $0.line.map { $0 - 1 } } == read.faults.map(\.line))
}

private func configuration(_ bytes: [UInt8]) -> Result<GatewayConfiguration, ConfigurationError> {
  Result { () throws(ConfigurationError) in
    try GatewayConfiguration(parsing: bytes, file: "onefix.toml", uid: { $0.isEmpty ? nil : UInt32($0.utf8.count) })
  }
}

extension Result where Failure == ConfigurationError {
  fileprivate var faults: [Diagnostic] { if case .failure(let error) = self { error.diagnostics } else { [] } }
}

private func verify(_ faults: [Diagnostic], _ lines: Int) {
  for fault in faults {
    precondition(fault.line.map { (1...lines).contains($0) } != false)
    precondition(!fault.message.isEmpty)
    // It is told in one line.
    precondition(!fault.message.utf8.contains { $0 < 0x20 || $0 == 0x7F })
  }
}

/// A receiver prints as what gives it back.
private func verify(_ receiver: ReceiverSpec) {
  precondition((try? ReceiverSpec(receiver.description)) == receiver)
}
