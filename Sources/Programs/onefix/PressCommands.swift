import ArgumentParser
import LineProtocol
import OneFixClient

struct PressCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "press", abstract: "Press the button of a simulated board.",
    discussion: "Returns when the press has taken effect, and says what it did.")

  @OptionGroup var socket: SocketOptions

  @Option(name: .customLong("for"), help: "Milliseconds to keep it down, 1 to 60000.")
  var length = 100

  @Option(help: "The button's name, where the board has several.")
  var button: String?

  func validate() throws {
    if !(1...60_000).contains(length) { throw ValidationError("--for is 1 to 60000 milliseconds") }
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
    commandName: "hold", abstract: "Hold the button of a simulated board: no to a question, else lock or unlock.")

  @OptionGroup var socket: SocketOptions

  @Option(help: "The button's name, where the board has several.")
  var button: String?

  func run() async throws {
    let client = try await socket.connectAsOwner()
    let fields = try await orExit { try await client.perform(.owner(.hold(button: button))) }
    await client.close()
    print(fields["effect"] ?? "")
  }
}
