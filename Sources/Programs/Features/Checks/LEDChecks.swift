import Configuration
import Hardware

extension Subject {
  func ledFindings(on machine: Machine) -> [Finding] {
    guard !board.isSimulated, case .leds(let names) = board.wiring.indicator else { return [] }
    let location = board.location(of: .indicator())
    return names.compactMap { name in
      guard let file = machine.leds[name] else {
        let known = machine.leds.keys.sorted().joined(separator: ", ")
        return Finding(known.isEmpty ? .ledsAbsent : .ledAbsent, at: location, ["led": name, "leds": known])
      }
      guard file.isWritable(by: machine.user, in: machine.accounts) else {
        let user = machine.user.name
        return Finding(
          .ledDenied, at: location, ["user": user, "path": file.path, "rule": Repair.ledRule(name, user: user)],
          repairs: [.ownLED(name)])
      }
      return nil
    }
  }
}
