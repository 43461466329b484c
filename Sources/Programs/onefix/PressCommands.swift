import ArgumentParser
import LineProtocol
import OneFixClient

struct PressCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "press", abstract: "Press the button of a simulated board.",
    discussion: "Waits until the press has taken effect, and prints the effect.")

  @OptionGroup var socket: SocketOptions

  @Option(name: .customLong("for"), help: "The duration in milliseconds, 1 to 60000.")
  var length = 100

  @Option(help: "The name of the button, if the board has several.")
  var button: String?

  func validate() throws {
    if !(1...60_000).contains(length) { throw ValidationError("--for must be 1 to 60000 milliseconds") }
  }

  func run() async throws {
    let client = try await socket.connectAsOwner()
    let fields = try await orExit { try await client.perform(.owner(.press(milliseconds: length, button: button))) }
    await client.close()
    print(fields["effect"] ?? "")
  }
}

struct HoldCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hold",
    abstract: "Hold the button of a simulated board: answers a question with no, otherwise locks or unlocks.")

  @OptionGroup var socket: SocketOptions

  @Option(help: "The name of the button, if the board has several.")
  var button: String?

  func run() async throws {
    let client = try await socket.connectAsOwner()
    let fields = try await orExit { try await client.perform(.owner(.hold(button: button))) }
    await client.close()
    print(fields["effect"] ?? "")
  }
}
