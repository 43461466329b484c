import CLinux
import Glibc
import LineProtocol

/// The options of a command. The C library parses the options and prints the help (glibc manual, "Parsing Program
/// Options with Argp"). After wrong usage, the library ends the program with status 64.
struct OptionTable {
  struct Option {
    let name: String
    /// The name of the value in the help text; nil for an option without a value.
    let value: String?
    let help: String

    init(_ name: String, _ value: String, _ help: String) { (self.name, self.value, self.help) = (name, value, help) }

    init(_ name: String, _ help: String) { (self.name, value, self.help) = (name, nil, help) }
  }

  /// The full name of the command, as in `onefixd check`.
  let command: String
  /// The subcommands with their arguments, for the help text.
  var subcommands: [String] = []
  /// The text before the list of options in the help.
  let overview: String
  /// The text after the list of options in the help.
  var discussion = ""
  let options: [Option]

  /// Returns the values of the given options, by name of the option. An option without a value has an empty text. After
  /// `--help`, `--version` or wrong usage, the function ends the program.
  func parse(_ words: [String]) -> [String: String] {
    let parsed = ParsedOptions(options + [Option("version", "Show the version.")], subcommands: subcommands)
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
    if let error = parsed.error { exit(for: error) }
    if parsed.values["version"] != nil {
      print("onefixd \(Release.version)")
      exit(0)
    }
    return parsed.values
  }
}

/// Collects the options that the C library finds in the command line.
private final class ParsedOptions {
  let options: [OptionTable.Option]
  private(set) var values: [String: String] = [:]
  /// The first error of the command line.
  private(set) var error: UsageError?
  private let subcommands: [Substring]

  init(_ options: [OptionTable.Option], subcommands: [String]) {
    self.options = options
    self.subcommands = subcommands.compactMap { form in form.split(separator: " ").first }
  }

  /// Returns the key by which the C library identifies an option. Keys below 0x400 are reserved for the library and for
  /// options with one letter.
  static func key(_ index: Int) -> Int32 { 0x400 + Int32(index) }

  func add(_ key: Int32, _ value: String?) -> Int32 {
    if key == ARGP_KEY_ARG, let value {
      let remedy = subcommands.contains(value[...]) ? ": write it before the options, 'onefixd \(value) …'" : ""
      error = error ?? UsageError("unexpected argument '\(value)'\(remedy)")
      return 0
    }
    guard let index = options.indices.first(where: { Self.key($0) == key }) else { return ARGP_ERR_UNKNOWN }
    let option = options[index]
    // For example, a shell passes an empty text for a variable that is not set.
    if value == "" { error = error ?? UsageError("the value of --\(option.name) is empty") }
    values[option.name] = value ?? ""
    return 0
  }
}

/// Copies of strings for C functions. The end of this object frees the copies.
@safe private final class CStrings {
  nonisolated(unsafe) private var pointers: [UnsafeMutablePointer<CChar>?] = unsafe []

  func add(_ text: String?) -> UnsafeMutablePointer<CChar>? {
    let pointer = unsafe text.map { unsafe strdup($0) } ?? nil
    unsafe pointers.append(pointer)
    return unsafe pointer
  }

  deinit { unsafe pointers.forEach { unsafe free($0) } }
}

/// The error for a wrong command line.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// An error that ends the program with an exit status and without a message.
struct ExitStatus: Error {
  let number: Int32

  init(_ number: Int32) { self.number = number }
}

/// Prints the message of an error, and ends the program with the exit status of the error.
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
