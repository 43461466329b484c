import Configuration
import Hardware

/// A GPIO line, with a description of the part of the board that uses the line.
struct LineUse: Hashable {
  /// The use, as in `button 'main'`.
  var name: String
  var line: LineSpec
  var key: ConfigurationKey
  /// Whether the line drives an LED of the indicator. The LED must go dark when the line is released.
  var isLight = false
}

extension Subject {
  var lineUses: [LineUse] {
    let wiring = board.wiring
    var uses = board.buttons.compactMap { button in
      wiring.buttons[button.name].map {
        LineUse(name: "button '\(button.name)'", line: $0, key: .button(button.name))
      }
    }
    switch wiring.indicator {
    case .line(let line):
      uses.append(LineUse(name: "the indicator", line: line, key: .indicator(), isLight: true))
    case .rgbLines(let red, let green, let blue):
      for (colour, line) in [("red", red), ("green", green), ("blue", blue)] {
        uses.append(LineUse(name: "the indicator's \(colour)", line: line, key: .indicator(), isLight: true))
      }
    case .leds, nil: break
    }
    if let sense = wiring.sense { uses.append(LineUse(name: "the sense input", line: sense, key: .sense)) }
    if let power = board.receiverOptions.power {
      uses.append(LineUse(name: "the receiver's power", line: power, key: .receiverPower))
    }
    return uses
  }

  /// The findings about GPIO lines that two parts of the board use, by the texts of the lines.
  var doubleLineFindings: [Finding] {
    var first: [String: LineUse] = [:]
    return lineUses.compactMap { use in
      // Two different texts can mean the same GPIO line. The check of the machine finds such a conflict.
      first.updateValue(use, forKey: use.line.description).map { doubleFinding(use, $0) }
    }
  }

  private func doubleFinding(_ use: LineUse, _ other: LineUse) -> Finding {
    Finding(
      .lineTwice, .error, at: board.location(of: use.key),
      "\(use.name) and \(other.name) are on one line, \(use.line)", remedy: "give each a line of its own")
  }

  /// The findings about GPIO lines that another part of the board uses.
  var reservedLineFindings: [Finding] {
    lineUses.compactMap { use in
      board.reservedLines.first { $0.isSame(use.line) }.map { reservedFinding($0, for: use) }
    }
  }

  private func reservedFinding(_ reserved: ReservedLine, for use: LineUse) -> Finding {
    Finding(
      .lineTwice, .error, at: board.location(of: use.key), "\(use.name) is on \(use.line), the line of \(reserved.use)",
      remedy: "use another line; the board's README has the free ones")
  }

  func lineFindings(on machine: Machine) -> [Finding] {
    let uses = lineUses
    guard !board.isSimulated, let first = uses.first else { return [] }
    let location = board.location(of: first.key)
    let files = machine.chipFiles
    if files.isEmpty, machine.chips.isEmpty {
      return [
        Finding(
          .gpioAbsent, .error, at: location, "this machine has no GPIO chip: /dev/gpiochip* does not exist",
          remedy: "check the board; --board simulated needs no chip")
      ]
    }
    if let denied = files.first(where: { !$0.isOpen(to: machine.user, in: machine.accounts) }) {
      return [machine.deniedFinding(denied, at: location)]
    }
    if machine.chips.isEmpty {
      return [
        Finding(
          .gpioUnseen, .note, at: location, "the GPIO lines were not checked: no permission to open \(files[0].path)",
          remedy: "check as root or as user \(machine.user.name)")
      ]
    }
    let sandboxed = files.lazy.compactMap { machine.sandboxFinding($0, first.name, at: location) }.first
    return [sandboxed].compactMap(\.self)
      + uses.indices.flatMap { findings(for: uses[$0], after: uses[..<$0], on: machine) }
  }

  private func findings(for use: LineUse, after others: ArraySlice<LineUse>, on machine: Machine) -> [Finding] {
    let location = board.location(of: use.key)
    let candidates = machine.candidates(for: use.line)
    guard !candidates.isEmpty else {
      let labels = Set(machine.chips.map(\.label)).sorted().joined(separator: ", ")
      return [
        Finding(
          .chipAbsent, .error, at: location, "\(use.name): no chip has the label '\(use.line.chip ?? "")'",
          remedy: "this machine has: \(labels)")
      ]
    }
    let found = candidates.flatMap { chip in chip.offsets(of: use.line.position).map { (chip: chip, offset: $0) } }
    guard let (chip, offset) = found.first else {
      return [
        Finding(
          .lineAbsent, .error, at: location, "\(use.name): no line \(use.line)",
          remedy: "gpioinfo shows the names and the number of lines of each chip")
      ]
    }
    guard found.count == 1 else {
      let matches = found.map { "\($0.chip.path):\($0.offset)" }.joined(separator: " and ")
      let isChip = use.line.chip != nil
      return [
        Finding(
          isChip ? .chipAmbiguous : .lineAmbiguous, .error, at: location,
          isChip
            ? "\(use.name): several chips have the label '\(use.line.chip ?? "")': \(matches)"
            : "\(use.name): several chips have a line '\(use.line.position)': \(matches)",
          remedy: isChip ? "use a line name that only one of them has" : "add 'chip' with its label")
      ]
    }
    let double = others.first { $0.line.description != use.line.description && machine.has($0.line, chip, offset) }
    return [
      double.map { doubleFinding(use, $0) }, reservation(of: use, chip, offset, on: machine),
      machine.occupation(of: use, chip, offset, at: location),
      machine.persistence(of: use, chip, at: location),
    ].compactMap(\.self)
  }

  /// Returns the finding that a line is a reserved line, which the board calls differently. `reservedLineFindings`
  /// reports the same name.
  private func reservation(of use: LineUse, _ chip: Machine.Chip, _ offset: Int, on machine: Machine) -> Finding? {
    let reserved = board.reservedLines.first { reserved in
      !reserved.isSame(use.line) && machine.has(reserved.line, chip, offset)
    }
    return reserved.map { reservedFinding($0, for: use) }
  }
}

extension Machine.Chip {
  func offsets(of position: LineSpec.Position) -> [Int] {
    switch position {
    case .name(let name): lines.indices.filter { lines[$0].name == name }
    case .offset(let offset): Int(offset) < lines.count ? [Int(offset)] : []
    }
  }
}

extension Machine {
  /// The chips that can have a line.
  fileprivate func candidates(for line: LineSpec) -> [Chip] {
    line.chip.map { label in chips.filter { $0.label == label } } ?? chips
  }

  /// Whether the text of a line can mean a certain line of a chip.
  fileprivate func has(_ line: LineSpec, _ chip: Chip, _ offset: Int) -> Bool {
    candidates(for: line).contains(chip) && chip.offsets(of: line.position).contains(offset)
  }

  /// The name with which the daemon requests GPIO lines.
  static let consumer = "onefix"

  fileprivate func occupation(of use: LineUse, _ chip: Chip, _ offset: Int, at location: ConfigurationLocation)
    -> Finding?
  {
    guard let consumer = chip.lines[offset].consumer else { return nil }
    let line = "\(chip.path):\(offset) (\(use.line))"
    if consumer == Machine.consumer {
      return Finding(.lineHeld, .note, at: location, "\(use.name): \(line) is in use by the running daemon")
    }
    return Finding(
      .lineBusy, .error, at: location, "\(use.name): \(line) is in use by '\(consumer)'",
      remedy: "stop that program, remove its overlay, or use another line")
  }

  fileprivate func persistence(of use: LineUse, _ chip: Chip, at location: ConfigurationLocation) -> Finding? {
    guard use.isLight, persistentPins.contains(where: { chip.label.hasPrefix($0) }) else { return nil }
    return Finding(
      .indicatorPersists, .warning, at: location,
      "\(use.name): this kernel keeps the state of an output, so the light stays on if the daemon is killed",
      remedy: "dtparam=strict_gpiod in /boot/firmware/config.txt, and restart",
      repairs: [.boot("dtparam=strict_gpiod")])
  }

  /// Returns the finding about a GPIO chip that the daemon's user cannot open.
  fileprivate func deniedFinding(_ chip: DeviceFile, at location: ConfigurationLocation) -> Finding {
    let group = accounts.groupName(chip.group)
    let (remedy, repair): (String, Repair) =
      chip.group != 0 && chip.mode >> 3 & 0o6 == 0o6
      ? ("sudo adduser \(user.name) \(group), then log in again", .join(group: group))
      : ("add a udev rule that gives it to a group: " + Repair.sharingRule(chip: chip.name), .share(chip: chip.name))
    return Finding(
      .gpioDenied, .error, at: location, "user \(user.name) has no permission to open \(chip.path)", remedy: remedy,
      repairs: [repair])
  }
}
