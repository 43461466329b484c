import FuzzRules
import LineProtocol

/// Returns the lines of the input without their line ends.
private func lines(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [ArraySlice<UInt8>] {
  Array(UnsafeBufferPointer(start: start, count: count)).split(separator: 0x0A, omittingEmptySubsequences: false)
}

/// Checks the lines of clients: the parser accepts or rejects each line, and an accepted command prints as a line that parses
/// to the same command.
@_cdecl("fuzz_lines")
public func fuzzLines(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  for line in lines(start, count).map(Array.init) {
    verifyChecksum(line)
    let read = command(line)
    // The parser of strings gives the same result as the parser of bytes.
    if let text = String(validating: line, as: UTF8.self) {
      precondition(Result { () throws(RejectedLine) in try TaggedCommand(parsing: text) } == read)
    }
    switch read {
    case .success(let tagged):
      var buffer = TextBuffer()
      tagged.write(to: &buffer)
      precondition(!buffer.bytes.contains { $0 < 0x20 || $0 == 0x7F })
      precondition(command(buffer.bytes) == .success(tagged))
    case .failure(let rejected):
      precondition([.badLine, .unknownVerb, .badTopic, .badArgument].contains(rejected.error.code))
    }
  }
  return 0
}

private func command(_ line: [UInt8]) -> Result<TaggedCommand, RejectedLine> {
  Result { () throws(RejectedLine) in try TaggedCommand(parsing: line.span) }
}

/// Checks the lines of the gateway: an accepted line prints as a line that parses to the same value.
@_cdecl("fuzz_server_lines")
public func fuzzServerLines(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  for line in lines(start, count).map(Array.init) {
    guard let read = ServerLine(parsing: line.span) else { continue }
    var buffer = TextBuffer()
    read.write(to: &buffer)
    precondition(ServerLine(parsing: buffer.bytes.span) == read)
  }
  return 0
}

@_cdecl("fuzz_gpsd")
public func fuzzGPSD(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  gpsdCommandsHold(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

/// Checks that a line is verified with its own checksum, and not with another one.
private func verifyChecksum(_ line: [UInt8]) {
  let sum = Checksum.crc16(line.span)
  precondition(Checksum.verified((line + Checksum.ending(sum)).span) == line.count)
  precondition(Checksum.verified((line + Checksum.ending(sum ^ 1)).span) == nil)
  if let count = Checksum.verified(line.span) { precondition(count == line.count - Checksum.length) }
}
