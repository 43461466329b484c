package import Configuration
package import Hardware

/// Something that a check found, as a compiler would say it.
package struct Finding: Hashable, Sendable, CustomStringConvertible {
  package enum Severity: String, Hashable, Sendable, CaseIterable {
    /// It does not work, or does not protect, as it is.
    case error
    /// It works, and is not as it should be.
    case warning
    /// What is good to know.
    case note
  }

  package var code: FindingCode
  package var severity: Severity
  /// What it is about.
  package var place: Place
  /// Lower case, without a final period.
  package var message: String
  package var remedy: String?

  package init(_ code: FindingCode, _ severity: Severity, at place: Place, _ message: String, remedy: String? = nil) {
    self.code = code
    self.severity = severity
    self.place = place
    self.message = message
    self.remedy = remedy
  }

  /// As in `board.toml:12: error: no chip has the label 'x' (this machine has: y) [chip-absent]`.
  package var description: String {
    "\(place): \(severity.rawValue): \(message)" + (remedy.map { " (\($0))" } ?? "") + " [\(code.rawValue)]"
  }
}

/// The names of what checks find. They stay: scripts and people look for them.
package enum FindingCode: String, Hashable, Sendable, CaseIterable {
  // The configuration: what nobody could see or read.
  case indicatorMissing = "indicator-missing"
  case indicatorDark = "indicator-dark"
  case indicatorTooDim = "indicator-too-dim"
  case indicatorTooShort = "indicator-too-short"
  case indicatorTooFast = "indicator-too-fast"
  case indicatorLowContrast = "indicator-low-contrast"
  case labelTooSmall = "label-too-small"
  case labelTruncated = "label-truncated"
  /// No sense input: only errors of driving it are noticed.
  case indicatorUnsensed = "indicator-unsensed"
  /// One line for two things.
  case lineTwice = "line-twice"

  // The machine's GPIO lines.
  case gpioAbsent = "gpio-absent"
  /// The daemon's user may not open the chips.
  case gpioDenied = "gpio-denied"
  /// Whoever checks may not open the chips: they were not looked at.
  case gpioUnseen = "gpio-unseen"
  case chipAbsent = "chip-absent"
  /// Several chips have the label.
  case chipAmbiguous = "chip-ambiguous"
  case lineAbsent = "line-absent"
  /// Several chips have a line of that name.
  case lineAmbiguous = "line-ambiguous"
  case lineBusy = "line-busy"
  /// The daemon that runs holds it.
  case lineHeld = "line-held"
  /// A light stays as it was when the daemon is killed.
  case indicatorPersists = "indicator-persists"

  // The kernel's LEDs.
  case ledAbsent = "led-absent"
  case ledDenied = "led-denied"

  // The receiver.
  case receiverAbsent = "receiver-absent"
  case receiverUnsuitable = "receiver-unsuitable"
  case receiverDenied = "receiver-denied"
  case receiverBusy = "receiver-busy"
  /// The daemon that runs holds it.
  case receiverHeld = "receiver-held"
  /// Others can read it, too.
  case receiverShared = "receiver-shared"
  case uartConsole = "uart-console"
  case uartLogin = "uart-login"
  case uartBluetooth = "uart-bluetooth"
  /// A driver of the kernel has the address.
  case i2cTaken = "i2c-taken"
  case i2cSilent = "i2c-silent"
  /// Whoever checks may not open the bus: it was not asked.
  case i2cUnseen = "i2c-unseen"
  /// A controller that reads wrong bits where a receiver stretches the clock.
  case i2cStretching = "i2c-stretching"
  /// Faster than u-blox receivers are.
  case i2cFast = "i2c-fast"

  // The console.
  case consoleAbsent = "console-absent"
  case consoleUnsuitable = "console-unsuitable"
  case consoleDenied = "console-denied"
  case consoleBusy = "console-busy"
  /// The daemon that runs holds it.
  case consoleHeld = "console-held"
  /// The kernel writes its messages to the port.
  case consoleKernel = "console-kernel"
  case consoleLogin = "console-login"
  case consoleBluetooth = "console-bluetooth"
  /// It is the receiver's port, or one that carries the line protocol.
  case consoleTaken = "console-taken"
  /// Whoever is at the end of the line would be an owner.
  case consolePIN = "console-pin"

  // Listeners on a network.
  /// A certificate or a key that is not there, or may not be read.
  case listenFile = "listen-file"
  /// Everybody may use the private key.
  case listenKeyOpen = "listen-key-open"
  // The server for clients of gpsd.
  /// Another program listens there.
  case gpsdTaken = "gpsd-taken"
  /// The daemon that runs listens there.
  case gpsdHeld = "gpsd-held"
  /// A gpsd tells its clients without a press.
  case gpsdBeside = "gpsd-beside"

  // The owners' page.
  /// Another program listens there.
  case pageTaken = "page-taken"
  /// The daemon that runs listens there.
  case pageHeld = "page-held"

  // Apps.
  /// The kernel is too old to prove the unit of a process that connects.
  case unitUnproven = "unit-unproven"

  // Brokers.
  /// A file of a broker's that is not there, or may not be read.
  case mqttFile = "mqtt-file"
  /// Everybody may read a password or a private key.
  case mqttSecretOpen = "mqtt-secret-open"

  // The ports of apps.
  case serialAbsent = "serial-absent"
  case serialUnsuitable = "serial-unsuitable"
  case serialDenied = "serial-denied"
  case serialBusy = "serial-busy"
  /// The daemon that runs holds it.
  case serialHeld = "serial-held"
  /// The kernel writes its messages to the port.
  case serialKernel = "serial-kernel"
  case serialLogin = "serial-login"
  case serialBluetooth = "serial-bluetooth"
  /// It is the receiver's port, or another app's.
  case serialTaken = "serial-taken"

  package init(_ restriction: LegibilityRestriction) {
    self =
      switch restriction {
      case .indicatorMissing: .indicatorMissing
      case .indicatorDark: .indicatorDark
      case .indicatorTooDim: .indicatorTooDim
      case .indicatorTooShort: .indicatorTooShort
      case .indicatorTooFast: .indicatorTooFast
      case .indicatorLowContrast: .indicatorLowContrast
      case .labelTooSmall: .labelTooSmall
      case .labelTruncated: .labelTruncated
      }
  }

  /// Whether another file mends it, not another machine.
  package var isConfiguration: Bool {
    switch self {
    case .indicatorMissing, .indicatorDark, .indicatorTooDim, .indicatorTooShort, .indicatorTooFast,
      .indicatorLowContrast, .labelTooSmall, .labelTruncated, .indicatorUnsensed, .lineTwice,
      .consoleTaken, .consolePIN, .serialTaken:
      true
    case .gpioAbsent, .gpioDenied, .gpioUnseen, .chipAbsent, .chipAmbiguous, .lineAbsent, .lineAmbiguous, .lineBusy,
      .lineHeld, .indicatorPersists, .ledAbsent, .ledDenied, .receiverAbsent, .receiverUnsuitable, .receiverDenied,
      .receiverBusy, .receiverHeld, .receiverShared, .uartConsole, .uartLogin, .uartBluetooth, .i2cTaken, .i2cSilent,
      .i2cUnseen, .i2cStretching, .i2cFast, .consoleAbsent, .consoleUnsuitable, .consoleDenied, .consoleBusy,
      .consoleHeld,
      .consoleKernel, .consoleLogin, .consoleBluetooth, .listenFile, .listenKeyOpen, .gpsdTaken, .gpsdHeld, .gpsdBeside,
      .pageTaken,
      .pageHeld, .mqttFile, .mqttSecretOpen, .serialAbsent, .serialUnsuitable, .serialDenied, .serialBusy, .serialHeld,
      .serialKernel, .serialLogin, .serialBluetooth, .unitUnproven:
      false
    }
  }
}
