package import Configuration
package import Hardware

/// One result of the checks, in the format of a compiler's message.
package struct Finding: Hashable, Sendable, CustomStringConvertible {
  package enum Severity: String, Hashable, Sendable {
    /// A part does not work, or does not protect the location.
    case error
    /// A part works, but has a weakness.
    case warning
    /// Information only.
    case note
  }

  package var code: FindingCode
  package var severity: Severity
  /// The location in the configuration that the finding concerns.
  package var location: ConfigurationLocation
  /// The message in lower case, without a final period.
  package var message: String
  package var remedy: String?
  /// The changes of the machine that are the remedy; empty if a script cannot make them.
  package var repairs: [Repair]

  package init(
    _ code: FindingCode, _ severity: Severity, at location: ConfigurationLocation, _ message: String,
    remedy: String? = nil,
    repairs: [Repair] = []
  ) {
    self.code = code
    self.severity = severity
    self.location = location
    self.message = message
    self.remedy = remedy
    self.repairs = repairs
  }

  /// The finding as text, as in `board.toml:12: error: no chip has the label 'x' (this machine has: y) [chip-absent]`.
  package var description: String {
    "\(location): \(severity.rawValue): \(message)" + (remedy.map { " (\($0))" } ?? "") + " [\(code.rawValue)]"
  }
}

/// The codes of the findings. The codes never change, because scripts and documentation use them. A code whose name
/// contains `Held` means that the running daemon uses the device or the address.
package enum FindingCode: String, Hashable, Sendable, CaseIterable {
  // Codes for the configuration. The codes from `indicatorMissing` to `labelTruncated` mean that a user could not see
  // the indicator or could not read a label.
  case indicatorMissing = "indicator-missing"
  case indicatorDark = "indicator-dark"
  case indicatorTooDim = "indicator-too-dim"
  case indicatorTooShort = "indicator-too-short"
  case indicatorTooFast = "indicator-too-fast"
  case indicatorLowContrast = "indicator-low-contrast"
  case labelTooSmall = "label-too-small"
  case labelTruncated = "label-truncated"
  /// No input line senses whether the indicator is lit.
  case indicatorUnsensed = "indicator-unsensed"
  /// Two parts use the same GPIO line.
  case lineTwice = "line-twice"

  case gpioAbsent = "gpio-absent"
  /// The daemon's user has no permission to open the chips.
  case gpioDenied = "gpio-denied"
  /// The user who runs the check has no permission to open the chips, so the chips were not checked.
  case gpioUnseen = "gpio-unseen"
  case chipAbsent = "chip-absent"
  /// Several chips have the configured label.
  case chipAmbiguous = "chip-ambiguous"
  case lineAbsent = "line-absent"
  /// Several chips have a line with the configured name.
  case lineAmbiguous = "line-ambiguous"
  case lineBusy = "line-busy"
  case lineHeld = "line-held"
  /// The indicator keeps its state if the daemon is killed.
  case indicatorPersists = "indicator-persists"

  /// The sandbox of the installed service does not let the daemon open a device.
  case sandboxDenied = "sandbox-denied"

  case ledAbsent = "led-absent"
  case ledDenied = "led-denied"

  case receiverAbsent = "receiver-absent"
  case receiverUnsuitable = "receiver-unsuitable"
  case receiverDenied = "receiver-denied"
  case receiverBusy = "receiver-busy"
  case receiverHeld = "receiver-held"
  /// Other users can also read the receiver.
  case receiverShared = "receiver-shared"
  case uartConsole = "uart-console"
  case uartLogin = "uart-login"
  case uartBluetooth = "uart-bluetooth"
  /// A kernel driver uses the receiver's address.
  case i2cTaken = "i2c-taken"
  case i2cSilent = "i2c-silent"
  /// The user who runs the check has no permission to open the bus, so the receiver was not probed.
  case i2cUnseen = "i2c-unseen"
  /// The I2C controller reads wrong bits when a receiver stretches the clock.
  case i2cStretching = "i2c-stretching"
  /// The bus is faster than the maximum of u-blox receivers.
  case i2cFast = "i2c-fast"

  case consoleAbsent = "console-absent"
  case consoleUnsuitable = "console-unsuitable"
  case consoleDenied = "console-denied"
  case consoleBusy = "console-busy"
  case consoleHeld = "console-held"
  /// The kernel writes its messages to the console's port.
  case consoleKernel = "console-kernel"
  case consoleLogin = "console-login"
  case consoleBluetooth = "console-bluetooth"
  /// The console's port is also the port of the receiver or of an app.
  case consoleTaken = "console-taken"
  /// A console without a PIN gives everyone at the other end the rights of an owner.
  case consolePIN = "console-pin"

  /// A certificate or a key does not exist or cannot be read.
  case listenFile = "listen-file"
  /// Other users can read or write a private key.
  case listenKeyOpen = "listen-key-open"
  /// Another program listens on an address or a socket for apps.
  case listenTaken = "listen-taken"
  /// The running daemon listens on an address or a socket for apps.
  case listenHeld = "listen-held"
  /// Another program listens on the address.
  case gpsdTaken = "gpsd-taken"
  case gpsdHeld = "gpsd-held"
  /// A gpsd on this machine sends positions to its clients even if the user does not press the button.
  case gpsdBeside = "gpsd-beside"

  /// Another program listens on an address for readers of NMEA sentences.
  case nmeaTaken = "nmea-taken"
  /// The running daemon listens on an address for readers of NMEA sentences.
  case nmeaHeld = "nmea-held"

  /// The receiver cannot set a clock: it is simulated or recorded, or another program reads it.
  case timeReceiver = "time-receiver"
  /// The accuracy of an app is lower than full, and local users can see in chrony when the receiver has no fix.
  case timeReduced = "time-reduced"
  /// chrony's socket does not exist.
  case timeAbsent = "time-absent"
  /// The daemon's user has no permission to send to chrony's socket.
  case timeDenied = "time-denied"
  /// Other users can replace chrony's socket, or send samples of the time themselves.
  case timeOpen = "time-open"

  /// Another program listens on the address.
  case pageTaken = "page-taken"
  case pageHeld = "page-held"

  /// Only root and the daemon's user can read the file of the metrics.
  case metricsClosed = "metrics-closed"
  /// Users of apps can read the file of the metrics.
  case metricsOpen = "metrics-open"

  /// The user of an app does not exist.
  case appUser = "app-user"
  /// A process can act as several apps, or every process of root can act as an app.
  case appShared = "app-shared"
  /// The kernel is too old to identify the systemd unit of a process that connects.
  case unitUnproven = "unit-unproven"

  /// Other users can read or write the device's key.
  case keyOpen = "key-open"
  /// The state, its anchor or the device's key does not survive the next stop of the machine.
  case stateVolatile = "state-volatile"
  /// The state or its anchor cannot be written, because its file system is read-only.
  case stateReadOnly = "state-read-only"
  /// The clock of the machine shows a time before the first gateway existed.
  case clockUnset = "clock-unset"

  /// A file from the settings of a broker does not exist or cannot be read.
  case mqttFile = "mqtt-file"
  /// Other users can read or write a password or a private key.
  case mqttSecretOpen = "mqtt-secret-open"

  case serialAbsent = "serial-absent"
  case serialUnsuitable = "serial-unsuitable"
  case serialDenied = "serial-denied"
  case serialBusy = "serial-busy"
  case serialHeld = "serial-held"
  case serialKernel = "serial-kernel"
  case serialLogin = "serial-login"
  case serialBluetooth = "serial-bluetooth"
  /// The app's port is also the port of the receiver or of a second app.
  case serialTaken = "serial-taken"

  /// Creates the code of a restriction. The code and the restriction have the same text.
  package init(_ restriction: LegibilityRestriction) { self = FindingCode(rawValue: restriction.rawValue)! }

  /// Whether the finding concerns only the configuration, and not the machine.
  package var isConfiguration: Bool {
    switch self {
    case .indicatorMissing, .indicatorDark, .indicatorTooDim, .indicatorTooShort, .indicatorTooFast,
      .indicatorLowContrast, .labelTooSmall, .labelTruncated, .indicatorUnsensed, .lineTwice, .consoleTaken,
      .consolePIN, .serialTaken, .timeReceiver, .timeReduced, .appShared:
      true
    case .gpioAbsent, .gpioDenied, .gpioUnseen, .chipAbsent, .chipAmbiguous, .lineAbsent, .lineAmbiguous, .lineBusy,
      .lineHeld, .indicatorPersists, .ledAbsent, .ledDenied, .receiverAbsent, .receiverUnsuitable, .receiverDenied,
      .receiverBusy, .receiverHeld, .receiverShared, .uartConsole, .uartLogin, .uartBluetooth, .i2cTaken, .i2cSilent,
      .i2cUnseen, .i2cStretching, .i2cFast, .consoleAbsent, .consoleUnsuitable, .consoleDenied, .consoleBusy,
      .consoleHeld, .consoleKernel, .consoleLogin, .consoleBluetooth, .listenFile, .listenKeyOpen, .listenTaken,
      .listenHeld, .appUser, .gpsdTaken, .gpsdHeld, .gpsdBeside, .nmeaTaken, .nmeaHeld, .pageTaken, .pageHeld,
      .metricsClosed, .metricsOpen, .mqttFile, .mqttSecretOpen, .serialAbsent, .serialUnsuitable, .serialDenied,
      .serialBusy, .serialHeld, .serialKernel, .serialLogin, .serialBluetooth, .unitUnproven, .timeAbsent,
      .timeDenied, .timeOpen, .keyOpen, .stateVolatile, .stateReadOnly, .clockUnset, .sandboxDenied:
      false
    }
  }
}
