import ArgumentParser

/// The command `onefix lab`, with which a user tries the daemon's algorithms without a running daemon.
struct LabCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lab", abstract: "Try the daemon's algorithms on your own positions and logs. Needs no gateway.",
    subcommands: [LabSmooth.self, LabPlot.self, LabCloak.self])
}
