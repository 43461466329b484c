package import Configuration
import Hardware

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
/// contains `Held` means that the running daemon uses the device or the address. A feature adds the codes of its own
/// findings.
package struct FindingCode: Hashable, Sendable {
  package let rawValue: String
  /// Whether the finding concerns only the configuration, and not the machine.
  package let isConfiguration: Bool
  /// Whether the daemon logs the finding at its start, although the finding concerns the machine. Missing and busy
  /// devices are not logged, because the daemon reports an error when it opens them.
  package let isLogged: Bool
  /// Whether the status of a running gateway follows the present state of the fault, which can change after the start.
  package let isLive: Bool

  package init(_ rawValue: String, isConfiguration: Bool = false, isLogged: Bool = false, isLive: Bool = false) {
    self.rawValue = rawValue
    self.isConfiguration = isConfiguration
    self.isLogged = isLogged
    self.isLive = isLive
  }

  /// Creates the code of a restriction. The code and the restriction have the same text.
  init(_ restriction: LegibilityRestriction) { self.init(restriction.rawValue, isConfiguration: true) }
}

extension FindingCode {
  // Codes for the configuration. The codes from `indicatorMissing` to `labelTruncated` mean that a user could not see
  // the indicator or could not read a label.
  package static let indicatorMissing = Self("indicator-missing", isConfiguration: true)
  package static let indicatorDark = Self("indicator-dark", isConfiguration: true)
  package static let indicatorTooDim = Self("indicator-too-dim", isConfiguration: true)
  package static let indicatorTooShort = Self("indicator-too-short", isConfiguration: true)
  package static let indicatorTooFast = Self("indicator-too-fast", isConfiguration: true)
  package static let indicatorLowContrast = Self("indicator-low-contrast", isConfiguration: true)
  package static let labelTooSmall = Self("label-too-small", isConfiguration: true)
  package static let labelTruncated = Self("label-truncated", isConfiguration: true)
  /// No input line senses whether the indicator is lit.
  package static let indicatorUnsensed = Self("indicator-unsensed", isConfiguration: true)
  /// Two parts use the same GPIO line.
  package static let lineTwice = Self("line-twice", isConfiguration: true)

  package static let gpioAbsent = Self("gpio-absent")
  /// The daemon's user has no permission to open the chips.
  package static let gpioDenied = Self("gpio-denied")
  /// The user who runs the check has no permission to open the chips, so the chips were not checked.
  package static let gpioUnseen = Self("gpio-unseen")
  package static let chipAbsent = Self("chip-absent")
  /// Several chips have the configured label.
  package static let chipAmbiguous = Self("chip-ambiguous")
  package static let lineAbsent = Self("line-absent")
  /// Several chips have a line with the configured name.
  package static let lineAmbiguous = Self("line-ambiguous")
  package static let lineBusy = Self("line-busy")
  package static let lineHeld = Self("line-held")
  /// The indicator keeps its state if the daemon is killed.
  package static let indicatorPersists = Self("indicator-persists", isLogged: true)

  /// The sandbox of the installed service does not let the daemon open a device.
  package static let sandboxDenied = Self("sandbox-denied")

  package static let ledAbsent = Self("led-absent")
  package static let ledDenied = Self("led-denied")

  package static let receiverAbsent = Self("receiver-absent")
  package static let receiverUnsuitable = Self("receiver-unsuitable")
  package static let receiverDenied = Self("receiver-denied")
  package static let receiverBusy = Self("receiver-busy")
  package static let receiverHeld = Self("receiver-held")
  /// Other users can also read the receiver.
  package static let receiverShared = Self("receiver-shared", isLogged: true)
  package static let uartConsole = Self("uart-console", isLogged: true)
  package static let uartLogin = Self("uart-login", isLogged: true)
  package static let uartBluetooth = Self("uart-bluetooth")
  /// A kernel driver uses the receiver's address.
  package static let i2cTaken = Self("i2c-taken")
  package static let i2cSilent = Self("i2c-silent")
  /// The user who runs the check has no permission to open the bus, so the receiver was not probed.
  package static let i2cUnseen = Self("i2c-unseen")
  /// The I2C controller reads wrong bits when a receiver stretches the clock.
  package static let i2cStretching = Self("i2c-stretching", isLogged: true)
  /// The bus is faster than the maximum of u-blox receivers.
  package static let i2cFast = Self("i2c-fast", isLogged: true)

  /// The user of an app does not exist.
  package static let appUser = Self("app-user", isLive: true)
  /// A process can act as several apps, or every process of root can act as an app.
  package static let appShared = Self("app-shared", isConfiguration: true)
  /// The kernel is too old to identify the systemd unit of a process that connects.
  package static let unitUnproven = Self("unit-unproven", isLogged: true)

  /// Other users can read or write the device's key.
  package static let keyOpen = Self("key-open", isLogged: true)
  /// The state, its anchor or the device's key does not survive the next stop of the machine.
  package static let stateVolatile = Self("state-volatile", isLogged: true)
  /// The state or its anchor cannot be written, because its file system is read-only.
  package static let stateReadOnly = Self("state-read-only")
  /// The clock of the machine shows a time before the first gateway existed.
  package static let clockUnset = Self("clock-unset")
}
