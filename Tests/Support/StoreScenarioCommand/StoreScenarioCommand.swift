import Glibc
import StoreScenario

/// Runs the steps of the scenario in a directory and prints each completed step. The test kills this program between
/// steps.
@main
struct StoreScenarioCommand {
  static func main() throws {
    guard CommandLine.arguments.count == 2 else { exit(64) }
    var scenario = Scenario(directory: CommandLine.arguments[1])
    try scenario.run { step, _ in
      let line = Array("\(step)\n".utf8)
      _ = unsafe write(STDOUT_FILENO, line, line.count)
    }
  }
}
