import Glibc
import StoreScenario

/// Takes the steps of the scenario in a directory and says each when it is over, for who ends this program meanwhile.
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
