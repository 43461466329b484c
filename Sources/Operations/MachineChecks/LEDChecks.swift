import Configuration
import Hardware

extension Subject {
  func ledFindings(on machine: Machine) -> [Finding] {
    guard !board.isSimulated, case .leds(let names) = board.wiring.indicator else { return [] }
    let location = board.location(of: .indicator())
    return names.compactMap { name in
      guard let file = machine.leds[name] else {
        let known = machine.leds.keys.sorted().joined(separator: ", ")
        return Finding(
          .ledAbsent, .error, at: location, "the indicator: the kernel has no LED '\(name)'",
          remedy: known.isEmpty ? "/sys/class/leds is empty; check the overlay" : "this machine has: \(known)")
      }
      guard file.isWritable(by: machine.user, in: machine.accounts) else {
        return Finding(
          .ledDenied, .error, at: location,
          "the indicator: user \(machine.user.name) has no permission to write \(file.path)",
          remedy: "add a udev rule that gives it only to the daemon: "
            + Repair.ledRule(name, user: machine.user.name), repairs: [.ownLED(name)])
      }
      return nil
    }
  }
}
