package import Base
package import Decoding
package import Hardware
package import OperatingSystem

/// The values and functions that the gateway gets from the daemon: the devices of the board, the policy, and functions
/// of other targets.
package struct GatewayDependencies: Sendable {
  /// A button of the board: its settings and its input.
  package struct Button: Sendable {
    package var profile: ButtonProfile
    package var input: any EdgeInput
    /// Presses a simulated button for the given time, and returns when the button is released. Nil for a real button.
    package var press: (@Sendable (Duration) async throws -> Void)?

    package init(
      profile: ButtonProfile, input: any EdgeInput, press: (@Sendable (Duration) async throws -> Void)? = nil
    ) {
      self.profile = profile
      self.input = input
      self.press = press
    }
  }

  /// The receiver of the board, with its settings.
  package struct Receiver: Sendable {
    package var source: ReceiverSource
    /// The commands that configure the receiver; nil if the gateway does not change the settings of the receiver.
    package var setup: ReceiverSetup?
    /// Whether the gateway ignores NMEA sentences without a checksum.
    package var requiresChecksum: Bool
    /// Whether apps may get a position that the receiver did not measure: an estimated, simulated or configured
    /// position.
    package var servesUnmeasured: Bool
    /// The switch for the power of the receiver; nil if the power is always on.
    package var power: (any PowerSwitch)?

    package init(
      _ source: ReceiverSource, setup: ReceiverSetup? = nil, requiresChecksum: Bool = true,
      servesUnmeasured: Bool = false, power: (any PowerSwitch)? = nil
    ) {
      self.source = source
      self.setup = setup
      self.requiresChecksum = requiresChecksum
      self.servesUnmeasured = servesUnmeasured
      self.power = power
    }
  }

  /// The buzzer of the board: its output and its sounds.
  package struct Buzzer: Sendable {
    package var output: any PowerSwitch
    package var profile: SoundProfile
    /// Returns the minute of the local day, 0 to 1439.
    package var minuteOfDay: @Sendable (UTCTime) -> Int

    package init(
      _ output: any PowerSwitch, _ profile: SoundProfile, minuteOfDay: @escaping @Sendable (UTCTime) -> Int
    ) {
      self.output = output
      self.profile = profile
      self.minuteOfDay = minuteOfDay
    }
  }

  /// The name of the gateway, as in `boat-7`; the name of the board; the version of the program; and the identifier of
  /// the present boot of the machine (an empty string if unknown).
  package var names: (gateway: String, board: String, version: String, boot: String)
  package var buttons: [Button]
  package var light: (output: any IndicatorOutput, profile: IndicatorProfile)
  package var receiver: Receiver
  /// The buzzer; nil if the configuration has none.
  package var buzzer: Buzzer?
  /// The outputs that send the time of the receiver to a clock of this machine.
  package var clocks: [any ClockOutput] = []
  /// The reason why the gateway refuses the commands `PRESS` and `HOLD`, which press a simulated button; nil if it
  /// accepts them.
  package var simulatedPressRefusal: String?
  /// The policy (the rules of the configuration) at the start. A reload of the configuration replaces it.
  package var policy = Policy()
  /// Reads the configuration file again; nil if the daemon has no configuration file.
  package var reload: (@Sendable () throws -> Reconfiguration)?
  /// Creates an address that opens the web page of the owners once, and is valid for the returned time. Nil if the
  /// gateway has no such page.
  package var pageLink: (@Sendable () -> (address: String, lifetime: Duration)?)?
  package var allowsRegions = false
  /// Whether the wall clock of this machine was already right when the program started.
  package var isWallClockSet = false
  /// The codes of warnings for owners about faults at the start, as in `receiver-shared`.
  package var warnings: [String] = []
  /// Returns the metrics of the daemon.
  package var metrics: @Sendable () -> [MetricFamily] = { [] }
  /// Sends a sentence about the state of the daemon to the service manager, without waiting. Returns false if the text
  /// cannot be sent now. Nil if the daemon has no service manager.
  package var tellStatus: (@Sendable (String) -> Bool)?

  package init(
    names: (gateway: String, board: String, version: String, boot: String), buttons: [Button],
    light: (output: any IndicatorOutput, profile: IndicatorProfile), receiver: Receiver,
    simulatedPressRefusal: String?
  ) {
    self.names = names
    self.buttons = buttons
    self.light = light
    self.receiver = receiver
    self.simulatedPressRefusal = simulatedPressRefusal
  }
}
