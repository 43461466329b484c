import CLinux
import Glibc
import LineProtocol

/// The options of a command. The C library parses them, prints the help, and ends the program with status 64 after
/// wrong usage. (glibc manual, "Parsing Program Options with Argp")
struct OptionTable {
  struct Option {
    let name: String
    /// The name of the option's value in the help; nil if the option has no value.
    let value: String?
    let help: String

    init(_ name: String, _ value: String, _ help: String) { (self.name, self.value, self.help) = (name, value, help) }

    init(_ name: String, _ help: String) { (self.name, value, self.help) = (name, nil, help) }
  }

  /// The command as the user types it.
  let command: String
  /// The subcommands, with their arguments, for the help.
  var subcommands: [String] = []
  /// The text before the options in the help.
  let overview: String
  /// The text after the options in the help.
  var discussion = ""
  let options: [Option]

  /// Returns the values of the given options by name; an empty text for an option without a value. Ends the program
  /// after `--help` and `--version`, and after wrong usage.
  func parse(_ words: [String]) -> [String: String] {
    let parsed = ParsedOptions(options + [Option("version", "Show the version.")])
    let strings = CStrings()
    var rows = unsafe parsed.options.enumerated().map { index, option in
      unsafe argp_option(
        name: strings.add(option.name), key: ParsedOptions.key(index), arg: strings.add(option.value), flags: 0,
        doc: strings.add(option.help), group: 0)
    }
    unsafe rows.append(argp_option())
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe [strings.add(command)]
    for word in words { unsafe arguments.append(strings.add(word == "-h" ? "--help" : word)) }
    unsafe arguments.append(nil)
    // Each text line is one way to type the command.
    let forms = unsafe subcommands.isEmpty ? nil : strings.add(([""] + subcommands).joined(separator: "\n"))
    // The text after the vertical tab comes after the options.
    let text = unsafe strings.add(discussion.isEmpty ? overview : "\(overview)\u{B}\(discussion)")
    unsafe rows.withUnsafeBufferPointer { rows in
      var table = unsafe argp()
      unsafe table.options = rows.baseAddress
      unsafe table.args_doc = UnsafePointer(forms)
      unsafe table.doc = UnsafePointer(text)
      unsafe table.parser = { key, value, state in
        guard let input = unsafe state?.pointee.input else { return EINVAL }
        let parsed = unsafe Unmanaged<ParsedOptions>.fromOpaque(input).takeUnretainedValue()
        return unsafe parsed.add(key, value.map { unsafe String(cString: $0) })
      }
      // All pointers are valid until the end of the function.
      unsafe argp_parse(
        &table, Int32(arguments.count - 1), &arguments, 0, nil, Unmanaged.passUnretained(parsed).toOpaque())
    }
    withExtendedLifetime((strings, parsed)) {}
    if parsed.values["version"] != nil {
      print("onefixd \(Release.version)")
      exit(0)
    }
    return parsed.values
  }
}

/// The options that the C library has found.
private final class ParsedOptions {
  let options: [OptionTable.Option]
  private(set) var values: [String: String] = [:]

  init(_ options: [OptionTable.Option]) { self.options = options }

  /// The number of an option for the C library, which uses the smaller numbers itself, and for letters.
  static func key(_ index: Int) -> Int32 { 0x400 + Int32(index) }

  func add(_ key: Int32, _ value: String?) -> Int32 {
    if key == ARGP_KEY_ARG, let value { exit(for: UsageError("unexpected argument '\(value)'")) }
    guard let index = options.indices.first(where: { Self.key($0) == key }) else { return ARGP_ERR_UNKNOWN }
    values[options[index].name] = value ?? ""
    return 0
  }
}

/// Texts for C, which are freed together.
@safe private final class CStrings {
  nonisolated(unsafe) private var pointers: [UnsafeMutablePointer<CChar>?] = unsafe []

  func add(_ text: String?) -> UnsafeMutablePointer<CChar>? {
    let pointer = unsafe text.map { unsafe strdup($0) } ?? nil
    unsafe pointers.append(pointer)
    return unsafe pointer
  }

  deinit { unsafe pointers.forEach { unsafe free($0) } }
}

/// Wrong usage of the command.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The status with which the program ends.
struct ExitStatus: Error {
  let number: Int32

  init(_ number: Int32) { self.number = number }
}

/// Ends the program with the status of an error, and a message that names the cause.
func exit(for error: any Error) -> Never {
  switch error {
  case let status as ExitStatus: exit(status.number)
  case let error as UsageError:
    printError("onefixd: \(error) (see onefixd --help)")
    exit(EX_USAGE)
  default:
    printError("onefixd: \(error)")
    exit(3)
  }
}
