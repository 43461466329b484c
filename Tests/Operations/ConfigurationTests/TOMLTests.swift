import SeededNumbers
import TemporaryFiles
import Testing

@testable import Configuration

let sample = """
  gateway = "boat-7" # comment
  press_serves = 'all'
  arm_timeout_s = 0x3C
  [[app]]
  id = "ferry"
  uid = 1_000
  name = \"\"\"caf\\u00e9\"\"\"
  [[button]]
  name = "main"
  apps = ["ferry",
    "harbour"]
  label_height_mm = 3.5e0
  [indicator]
  patterns.in-use = [100, 200]
  patterns.prompt = [1]
  """

/// The text of the error of a file.
private func fault(_ text: String) throws -> String {
  let error = try #require(throws: ConfigurationError.self) { try TOMLNode(parsing: [UInt8](text.utf8), file: "f") }
  return error.description
}

@Test func `any single changed byte is parsed or refused, and never crashes`() {
  let bytes = [UInt8](sample.utf8)
  for index in bytes.indices {
    for bit in 0..<8 {
      var changed = bytes
      changed[index] ^= 1 << bit
      _ = try? GatewayConfiguration(parsing: changed, file: "f") { _ in nil }
    }
    _ = try? GatewayConfiguration(parsing: Array(bytes[..<index]), file: "f") { _ in nil }
  }
}

@Test func `random bytes and random changes are parsed or refused, and never crash`() {
  var random = SplitMix64(seed: 2026)
  let tokens = Array("[]{}.=\"'\\\n#,-+_:TZ0x9eéあ\u{00A0}\u{FEFF}\u{1680}\u{1F600}\0".utf8)
  for _ in 0..<5000 {
    var bytes = Bool.random(using: &random) ? [UInt8](sample.utf8) : []
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let offset = Int.random(in: 0...bytes.count, using: &random)
      switch Int.random(in: 0...3, using: &random) {
      case 0: bytes.insert(tokens.randomElement(using: &random)!, at: offset)
      case 1: bytes.insert(UInt8.random(in: .min ... .max, using: &random), at: offset)
      case 2: bytes.removeSubrange(offset..<min(offset + 5, bytes.count))
      default: bytes.insert(contentsOf: bytes[offset..<min(offset + 30, bytes.count)], at: offset)
      }
    }
    _ = try? GatewayConfiguration(parsing: bytes, file: "f") { _ in nil }
  }
}

/// Every character of the Basic Multilingual Plane at the beginning of a key.
@Test func `a character that cannot begin a key is an error`() {
  for value in UInt32(0x80)...0xFFFF {
    guard let scalar = Unicode.Scalar(value) else { continue }
    let text = "a = 1\n\(Character(scalar))b = 2"
    let found = Result { () throws(ConfigurationError) in try TOMLNode(parsing: [UInt8](text.utf8), file: "f") }
    if case .success(let node) = found {
      // Some versions of the library accept white space beyond ASCII; other characters must be errors.
      #expect(node.content != .table([]))
    }
  }
}

@Test(arguments: [
  ("[", 100_000), ("{", 100_000), ("a=[", 100_000), ("x={y=", 10_000), ("a.", 200_000), ("[a.", 100_000), ("[[", 5000),
  ("\"", 100_000), ("\\", 1000), ("#", 500_000), ("\n", 500_000), ("\u{FEFF}", 1000), ("\0", 1000),
])
func `deep nesting, repetition and length are parsed or refused`(part: String, count: Int) {
  for start in ["", "x = ", "x = ["] {
    let text = start + String(repeating: part, count: count)
    _ = try? GatewayConfiguration(parsing: [UInt8](text.utf8), file: "f") { _ in nil }
  }
}

@Test(arguments: [
  (String(repeating: "a.", count: 129) + "a = 1", "f:1: error: the line has too many dots"),
  ("\n" + String(repeating: "a.", count: 20) + "a = 1", "f:2: error: tables and arrays nest too deeply"),
  (String(repeating: " ", count: 1024 * 1024 + 1), "f: error: the file is too large"),
  ("on = tru\u{1B}[2J", "f:1: error: cannot read boolean: expected 'true', saw 'tru\\u{1b}'"),
  ("on = tru\u{F}\n", "f:1: error: cannot read boolean: expected 'true', saw 'tru\\u{f}'"),
])
func `a crossed limit is reported, and control characters are shown escaped`(text: String, message: String) throws {
  #expect(try fault(text) == message)
}

@Test(arguments: ["uid = pi\n", "gateway = \"boat\n", "gateway = 'boat\n", "mode = 0640\n"])
func `a text without a quote at one end or at both is an error that asks for quotes`(text: String) throws {
  let message = try fault(text)
  #expect(message.hasPrefix("f:1: error: cannot read "), "\(message)")
  #expect(message.hasSuffix("a text needs a quote at both ends, as in mode = \"0640\")"), "\(message)")
}

@Test func `a number with a zero in front says so, and a control character outside a text has no remedy`() throws {
  #expect(try fault("hold_ms = 0900\n").contains(" (a number begins with no zero; "))
  let message = try fault("# \u{1}\n")
  #expect(message.contains("control characters") && !message.contains("quote"), "\(message)")
}

@Test func `invalid UTF-8 is refused with its line`() throws {
  for wrong: [UInt8] in [[0xFF], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xC0, 0x80]] {
    let bytes = [UInt8]("a = 1\nb = \"".utf8) + wrong + [UInt8]("\"\n".utf8)
    let error = try #require(throws: ConfigurationError.self) { try TOMLNode(parsing: bytes, file: "f") }
    #expect(error.diagnostics.count == 1 && error.diagnostics.first?.line == 2)
  }
}

@Test func `every key and value has its line, in the order of the file`() throws {
  func entry(_ key: String, _ line: Int, _ column: Int, _ content: TOMLNode.Content) -> TOMLEntry {
    TOMLEntry(key: key, line: line, column: column, value: TOMLNode(content: content, line: line))
  }
  let node = try TOMLNode(parsing: [UInt8]("b = 1\n\n[z]\nx = [\n 1,\n \"two\",\n]\n[a.c]\nd = 1.5\n".utf8), file: "f")
  let list = [TOMLNode(content: .integer(1), line: 5), TOMLNode(content: .string("two"), line: 6)]
  let c = entry("c", 8, 4, .table([entry("d", 9, 1, .float(1.5))]))
  #expect(
    node.content
      == .table([
        entry("b", 1, 1, .integer(1)), entry("z", 3, 2, .table([entry("x", 4, 1, .array(list))])),
        entry("a", 8, 2, .table([c])),
      ]))
}

@Test func `a configuration file has at most 1024 KiB, and does not stay open`() throws {
  let folder = try TemporaryDirectory()
  let largest = [UInt8](repeating: UInt8(ascii: "#"), count: 1024 * 1024)
  try folder.write(largest, to: "onefix.toml")
  #expect(try ConfigurationFile.read(folder.path("onefix.toml")) == largest)
  #expect(try ConfigurationFile.read(folder.path("onefix.toml/file")) == nil)
  try folder.write(largest + [UInt8(ascii: "#")], to: "onefix.toml")
  let error = #expect(throws: ConfigurationError.self) { try ConfigurationFile.read(folder.path("onefix.toml")) }
  #expect("\(try #require(error))".contains("the file is larger than 1024 KiB"))
  #expect(try folder.openPaths == [])
}
