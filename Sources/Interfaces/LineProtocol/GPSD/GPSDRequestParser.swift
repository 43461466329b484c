/// Parses the commands of one gpsd client, byte by byte.
///
/// A command ends at `;`, at a newline, or at the brace that completes its JSON object, as in gpsd. Many clients send
/// neither `;` nor a newline. The parser stores at most one command.
package struct GPSDRequestParser: Hashable, Sendable {
  /// An element of a client's input: a command, or an invalid part.
  package enum Element: Hashable, Sendable {
    /// A complete command of the client.
    case request(GPSDRequest)
    /// A command of more than `longest` bytes. The parser discards the remaining bytes up to the next newline.
    case overlong
    /// The first byte of the input is not `?`, so the client is not a gpsd client. All further input is ignored.
    case foreign
  }

  private enum State: Hashable {
    case start
    case between
    case name
    /// The argument of a command, with `depth` open braces. `isInString` is true inside a JSON string, and `isEscaped`
    /// is true after a backslash.
    case argument(depth: Int, isInString: Bool, isEscaped: Bool)
    case discarding
    case foreign
  }

  /// The maximum length of a command in bytes.
  package let longest: Int
  private var state = State.start
  private var name: [UInt8] = []
  private var argument: [UInt8] = []

  /// Creates a parser for a new connection.
  /// - Parameter longest: The maximum length of a command in bytes.
  package init(longest: Int) { self.longest = longest }

  /// Parses the client's next byte. Returns the element that the byte completes; nil if the byte completes no element.
  package mutating func consume(_ byte: UInt8) -> Element? {
    switch state {
    case .foreign: return nil
    case .start:
      guard byte == UInt8(ascii: "?") else {
        state = .foreign
        return .foreign
      }
      state = .between
      return nil
    case .discarding:
      if byte == UInt8(ascii: "\n") { state = .between }
      return nil
    case .between:
      guard !Self.isSeparator(byte) else { return nil }
      state = .name
      return readName(byte)
    case .name: return readName(byte)
    case .argument(let depth, let isInString, let isEscaped):
      return readArgument(byte, depth, isInString, isEscaped)
    }
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "?")
  }

  private mutating func readName(_ byte: UInt8) -> Element? {
    if byte == UInt8(ascii: "=") {
      state = .argument(depth: 0, isInString: false, isEscaped: false)
      return nil
    }
    guard !Self.isSeparator(byte) else { return complete(GPSDRequest(name, nil)) }
    name.append(byte)
    return checkLength()
  }

  private mutating func readArgument(
    _ byte: UInt8, _ depth: Int, _ isInString: Bool, _ isEscaped: Bool
  ) -> Element? {
    var (depth, isInString) = (depth, isInString)
    switch byte {
    case UInt8(ascii: "\n"): return complete(GPSDRequest(name, argument))
    case _ where isEscaped: break
    case UInt8(ascii: "\"") where isInString: isInString = false
    case _ where isInString: break
    case UInt8(ascii: "\""): isInString = true
    case UInt8(ascii: "{"): depth += 1
    case UInt8(ascii: "}"): depth -= 1
    case UInt8(ascii: ";") where depth == 0: return complete(GPSDRequest(name, argument))
    default: break
    }
    argument.append(byte)
    if byte == UInt8(ascii: "}"), !isInString, depth <= 0 { return complete(GPSDRequest(name, argument)) }
    state = .argument(
      depth: depth, isInString: isInString, isEscaped: isInString && !isEscaped && byte == UInt8(ascii: "\\"))
    return checkLength()
  }

  private mutating func complete(_ request: GPSDRequest) -> Element {
    begin(.between)
    return .request(request)
  }

  private mutating func checkLength() -> Element? {
    guard name.count + argument.count > longest else { return nil }
    begin(.discarding)
    return .overlong
  }

  private mutating func begin(_ next: State) {
    state = next
    name = []
    argument = []
  }
}
