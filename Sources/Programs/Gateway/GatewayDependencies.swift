package import Base
package import Decoding
package import Hardware
package import OperatingSystem

/// The objects and functions that the daemon gives to the gateway: the devices of the board, the policy (the rules of
/// owners), and functions of other targets.
package struct GatewayDependencies: Sendable {
  package struct Button: Sendable {
    package var profile: ButtonProfile
    package var input: any EdgeInput
    /// The function that presses a simulated button for the given time, and returns after the release; nil for a real
    /// button.
    package var press: (@Sendable (Duration) async throws -> Void)?

    package init(
      profile: ButtonProfile, input: any EdgeInput, press: (@Sendable (Duration) async throws -> Void)? = nil
    ) {
      self.profile = profile
      self.input = input
      self.press = press
    }
  }

  package struct Receiver: Sendable {
    package var source: ReceiverSource
    /// The commands that configure the GNSS receiver; nil if the gateway does not change the settings of the receiver.
    package var setup: ReceiverSetup?
    /// Whether the gateway ignores NMEA sentences without a checksum.
    package var requiresChecksum: Bool
    /// Whether apps may get a position that the GNSS receiver did not measure: an estimated, simulated or configured
    /// position.
    package var servesUnmeasured: Bool
    /// The switch for the power of the GNSS receiver; nil if the power is always on.
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

  package struct Buzzer: Sendable {
    package var output: any PowerSwitch
    package var profile: SoundProfile
    /// The function that converts a time to the minute of the local day, 0 to 1439.
    package var minuteOfDay: @Sendable (UTCTime) -> Int

    package init(
      _ output: any PowerSwitch, _ profile: SoundProfile, minuteOfDay: @escaping @Sendable (UTCTime) -> Int
    ) {
      self.output = output
      self.profile = profile
      self.minuteOfDay = minuteOfDay
    }
  }

  /// The names of the gateway (as in `boat-7`) and of the board, the version of the program, and the identifier of the
  /// present boot of the machine. An unknown boot has an empty identifier.
  package var names: (gateway: String, board: String, version: String, boot: String)
  package var buttons: [Button]
  package var light: (output: any IndicatorOutput, profile: IndicatorProfile)
  package var receiver: Receiver
  /// The buzzer; nil if the configuration has none.
  package var buzzer: Buzzer?
  /// The outputs that send the time of the GNSS receiver to a clock of this machine.
  package var clocks: [any ClockOutput] = []
  /// The reason why the gateway refuses the commands `PRESS` and `HOLD`, which press a simulated button; nil if the
  /// gateway accepts these commands.
  package var simulatedPressRefusal: String?
  /// The policy (the rules of the configuration) at the start. A reload of the configuration replaces the policy.
  package var policy = Policy()
  /// The function that reads the configuration file again; nil if the daemon has no configuration file.
  package var reload: (@Sendable () throws -> Reconfiguration)?
  /// The function that creates a single-use address for the web page of owners (administrators). The result also has
  /// the time for which the address is valid. Nil if the gateway has no such page.
  package var pageLink: (@Sendable () -> (address: String, lifetime: Duration)?)?
  package var allowsRegions = false
  /// Whether the wall clock of this machine was already set when the program started.
  package var isWallClockSet = false
  /// The codes of warnings for owners (administrators) about faults at the start, as in `receiver-shared`.
  package var warnings: [String] = []
  /// The function that returns the metrics of the daemon outside the gateway.
  package var metrics: @Sendable () -> [MetricFamily] = { [] }
  /// The function that sends a status text to the service manager without waiting, and returns false if the text cannot
  /// be sent now. Nil if the daemon has no service manager.
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
