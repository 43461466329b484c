import Base
import Hardware
import OperatingSystem

/// The source of positions, written as `simulated`, `replay:FILE[@SPEED]`, `uart:PATH[:BAUD]`, `i2c:PATH[:ADDRESS]` or
/// `gpsd[:HOST[:PORT]]`.
package enum ReceiverSpec: Hashable, Sendable {
  /// The speed at which a recording is replayed.
  package enum Speed: Hashable, Sendable {
    /// A multiple of the recorded speed, greater than 0.
    case times(Double)
    /// The recording is replayed as fast as possible, without pauses.
    case unlimited
  }

  /// A receiver that this process simulates. The first fix takes 28 s after a cold start, otherwise 1 s. The seed of
  /// the random numbers determines the simulated walk. The rate is 1...25 fixes in a second.
  case simulated(isCold: Bool = false, seed: UInt64? = nil, rate: Int? = nil)
  /// A file with the recorded bytes of a receiver.
  case replay(file: String, speed: Speed = .times(1))
  /// A receiver at a serial port. `baud` is the speed in bits per second; nil if unknown.
  case uart(path: String, baud: Int? = nil)
  /// An I2C bus and the address of the receiver on the bus, 0x08...0x77. u-blox receivers use 0x42, MediaTek receivers
  /// 0x10.
  case i2c(path: String, address: UInt16 = 0x42)
  /// The program gpsd, which reads the receiver, on this machine or on a different machine.
  case gpsd(host: String = "127.0.0.1", port: Int = 2947)

  static let speeds = 0.001...100_000

  /// The syntax of texts that `init(_:)` parses, for error messages.
  package static let forms =
    "simulated[:OPTION,…] (OPTION is cold, seed=N or rate=HZ); replay:FILE[@SPEED|@max]; uart:PATH[:BAUD]; "
    + "i2c:/dev/i2c-N[:0xADDRESS]; gpsd[:HOST[:PORT]]"

  /// Whether the positions are the present positions of this device, and not simulated or recorded.
  package var isLive: Bool {
    switch self {
    case .uart, .i2c, .gpsd: true
    case .simulated, .replay: false
    }
  }

  /// Whether the times from this source are exact enough to set a clock. The program gpsd delays the times.
  package var canSetClock: Bool {
    switch self {
    case .uart, .i2c: true
    case .gpsd, .simulated, .replay: false
    }
  }

  /// Parses a source of positions, as in `uart:/dev/ttyAMA0:9600`.
  ///
  /// A path can contain `@` and `:`. The text after the last `@` is therefore a speed only if the text is a number or
  /// `max`. The text after the last `:` is a baud rate only if all characters are digits.
  package init(_ text: String) throws(ReceiverSpecError) {
    let kind = text.prefix { $0 != ":" }
    let rest = kind.endIndex == text.endIndex ? nil : text[text.index(after: kind.endIndex)...]
    switch kind {
    case "simulated": self = try ReceiverSpec.simulated(rest, in: text)
    case "replay": self = try ReceiverSpec.replay(rest ?? "", in: text)
    case "uart": self = try ReceiverSpec.uart(rest ?? "", in: text)
    case "i2c": self = try ReceiverSpec.i2c(rest ?? "", in: text)
    case "gpsd": self = try ReceiverSpec.gpsd(rest, in: text)
    default: throw ReceiverSpecError(text, "unknown kind of receiver (use one of: \(ReceiverSpec.forms))")
    }
  }

  private static func simulated(_ options: Substring?, in text: String) throws(ReceiverSpecError) -> ReceiverSpec {
    var isCold = false
    var seed: UInt64?
    var rate: Int?
    for option in options?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
      if option == "cold", !isCold {
        isCold = true
      } else if option.hasPrefix("seed="), seed == nil, let number = digits(option.dropFirst(5), as: UInt64.self) {
        seed = number
      } else if option.hasPrefix("rate="), rate == nil, let number = digits(option.dropFirst(5), as: Int.self),
        (1...25).contains(number)
      {
        rate = number
      } else {
        throw ReceiverSpecError(
          text, "the options of a simulated receiver are 'cold', 'seed=N' and 'rate=HZ' (1...25), each once")
      }
    }
    return .simulated(isCold: isCold, seed: seed, rate: rate)
  }

  private static func replay(_ rest: Substring, in text: String) throws(ReceiverSpecError) -> ReceiverSpec {
    var file = rest
    var speed = Speed.times(1)
    if let at = rest.lastIndex(of: "@") {
      let written = rest[rest.index(after: at)...]
      if written == "max" {
        speed = .unlimited
        file = rest[..<at]
      } else if looksLikeNumber(written) {
        guard let number = Double(written), speeds.contains(number) else {
          throw ReceiverSpecError(
            text, "the speed must be 0.001...100000 or 'max', not \(quoted(String(written)))")
        }
        speed = .times(number)
        file = rest[..<at]
      }
    }
    guard !file.isEmpty else { throw ReceiverSpecError(text, "the file is missing (form: replay:FILE[@SPEED|@max])") }
    return .replay(file: String(file), speed: speed)
  }

  private static func uart(_ rest: Substring, in text: String) throws(ReceiverSpecError) -> ReceiverSpec {
    var path = rest
    var baud: Int?
    if let colon = rest.lastIndex(of: ":"), let written = digits(rest[rest.index(after: colon)...], as: Int.self) {
      guard SerialSpeed.all.contains(written) else {
        throw ReceiverSpecError(
          text, "unsupported baud rate \(written) (rates: \(SerialSpeed.all.map(String.init).joined(separator: " ")))")
      }
      baud = written
      path = rest[..<colon]
    }
    guard !path.isEmpty else { throw ReceiverSpecError(text, "the port is missing (form: uart:PATH[:BAUD])") }
    return .uart(path: String(path), baud: baud)
  }

  private static func i2c(_ rest: Substring, in text: String) throws(ReceiverSpecError) -> ReceiverSpec {
    let form = "form: i2c:/dev/i2c-N[:0xADDRESS]"
    guard let colon = rest.lastIndex(of: ":") else {
      guard !rest.isEmpty else { throw ReceiverSpecError(text, "the bus is missing (\(form))") }
      return .i2c(path: String(rest))
    }
    let (path, written) = (rest[..<colon], rest[rest.index(after: colon)...])
    guard !path.isEmpty else { throw ReceiverSpecError(text, "the bus is missing (\(form))") }
    // The prefix `0x` is required, because "42" could mean hexadecimal 42 or decimal 42.
    guard written.hasPrefix("0x"), written.utf8.dropFirst(2).allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let address = UInt16(written.dropFirst(2), radix: 16), (0x08...0x77).contains(address)
    else {
      throw ReceiverSpecError(
        text, "invalid address \(quoted(String(written))) (0x08 to 0x77, as i2cdetect shows it; \(form))"
      )
    }
    return .i2c(path: String(path), address: address)
  }

  /// Parses the host and the port of gpsd, as in `localhost:2947`. An IPv6 address needs brackets if a port follows.
  private static func gpsd(_ rest: Substring?, in text: String) throws(ReceiverSpecError) -> ReceiverSpec {
    guard let rest else { return .gpsd() }
    var host = rest
    var written: Substring?
    if rest.first == "[", let end = rest.lastIndex(of: "]") {
      host = rest[rest.index(after: rest.startIndex)..<end]
      let behind = rest[rest.index(after: end)...]
      if behind.first == ":" { written = behind.dropFirst() } else if !behind.isEmpty { host = "" }
    } else if let colon = rest.firstIndex(of: ":"), colon == rest.lastIndex(of: ":") {
      host = rest[..<colon]
      written = rest[rest.index(after: colon)...]
    }
    guard !host.isEmpty else { throw ReceiverSpecError(text, "the host is missing (form: gpsd[:HOST[:PORT]])") }
    guard let written else { return .gpsd(host: String(host)) }
    guard let port = digits(written, as: Int.self), (1...65_535).contains(port) else {
      throw ReceiverSpecError(text, "invalid port \(quoted(String(written))) (1...65535)")
    }
    return .gpsd(host: String(host), port: port)
  }

  private static func digits<Number: FixedWidthInteger>(_ text: Substring, as type: Number.Type) -> Number? {
    text.hasOnlyDigits ? Number(text) : nil
  }

  /// Whether a text is an optional sign, followed by digits and decimal points.
  private static func looksLikeNumber(_ text: Substring) -> Bool {
    let unsigned = text.first == "-" || text.first == "+" ? text.dropFirst() : text
    return !unsigned.isEmpty && unsigned.filter { $0 != "." }.hasOnlyDigits
  }
}

extension ReceiverSpec: CustomStringConvertible {
  /// The text from which `init(_:)` creates the same value.
  package var description: String {
    switch self {
    case .simulated(let isCold, let seed, let rate):
      let options = [isCold ? "cold" : nil, seed.map { "seed=\($0)" }, rate.map { "rate=\($0)" }].compactMap(\.self)
      return "simulated" + (options.isEmpty ? "" : ":" + options.joined(separator: ","))
    case .replay(let file, .unlimited):
      return "replay:\(file)@max"
    case .replay(let file, .times(let factor)):
      // If the file name contains `@`, a part of the name could be read as a speed. The text then always contains the
      // speed.
      return "replay:\(file)" + (factor == 1 && !file.contains("@") ? "" : "@\(factor)")
    case .uart(let path, let baud):
      return "uart:\(path)" + (baud.map { ":\($0)" } ?? "")
    case .i2c(let path, let address):
      return "i2c:\(path):0x\(address.digits(2, radix: 16))"
    case .gpsd(let host, let port):
      return "gpsd:" + hostAndPort(host, port)
    }
  }
}

/// The error for a text that `ReceiverSpec` cannot parse: the text and the reason.
package struct ReceiverSpecError: Error, Hashable, Sendable, CustomStringConvertible {
  package let text: String
  package let cause: String

  init(_ text: String, _ cause: String) {
    self.text = text
    self.cause = cause
  }

  package var description: String { "cannot use the receiver \(quoted(text)): \(cause)" }
}
