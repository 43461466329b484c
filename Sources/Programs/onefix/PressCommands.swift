import ArgumentParser
import LineProtocol
import OneFixClient
import OwnerScreens

struct PressCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "press", abstract: "Press the button of a simulated board.",
    discussion: "Waits until the press has taken effect, and prints the effect.")

  @OptionGroup var options: OwnerOptions

  @Option(name: .customLong("for"), help: "The duration in milliseconds, 1 to 60000.")
  var length = 100

  @Option(help: "The name of the button, if the board has several.")
  var button: String?

  func validate() throws {
    if !(1...60_000).contains(length) { throw ValidationError("--for must be 1 to 60000 milliseconds") }
  }

  func run() async throws {
    try await options.printEffect(of: .press(milliseconds: length, button: button))
  }
}

struct HoldCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hold",
    abstract: "Hold the button of a simulated board: answers a question with no, otherwise locks or unlocks.")

  @OptionGroup var options: OwnerOptions

  @Option(help: "The name of the button, if the board has several.")
  var button: String?

  func run() async throws {
    try await options.printEffect(of: .hold(button: button))
  }
}

extension OwnerOptions {
  /// Executes a command that presses or holds a simulated button, and prints the reaction of the gateway.
  fileprivate func printEffect(of command: OwnerCommand) async throws {
    let fields = try await socket.asOwner { try await $0.perform(.owner(command)).fields }
    let text = TextFormatter(unwrapped: spoken).lastPress(fields) ?? fields["effect"] ?? ""
    try write(OwnerReport(lines: [text], json: [fields.json]))
  }
}
