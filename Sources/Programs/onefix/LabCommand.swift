import ArgumentParser

/// The daemon's own code, away from the daemon: for who wants to see what it does before they believe it.
struct LabCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lab", abstract: "Try the daemon's own code on places and logs of your own. Needs no gateway.",
    subcommands: [LabSmooth.self, LabPlot.self, LabCloak.self])
}
