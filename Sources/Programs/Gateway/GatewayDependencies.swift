package import Base
package import Hardware
package import Decoding
package import OperatingSystem

/// The values and functions that a gateway gets from the daemon: the devices of the board, the policy, and functions
/// that need other targets.
package struct GatewayDependencies: Sendable {
  /// A button of the board.
  package struct Button: Sendable {
    package var profile: ButtonProfile
    package var input: any EdgeInput
    /// Presses a simulated button for the given time, and returns when the press has taken effect. Nil for a real
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

  /// The receiver of the board.
  package struct Receiver: Sendable {
    package var source: ReceiverSource
    /// The code that configures the receiver; nil if the gateway does not change the receiver's settings.
    package var setup: ReceiverSetup?
    /// Whether sentences without a checksum are rejected.
    package var requiresChecksum: Bool
    /// Whether apps may receive a position that the receiver did not measure. Such a position is estimated, is
    /// simulated, or comes from a setting of the receiver.
    package var servesUnmeasured: Bool
    /// The switch of the receiver's power supply; nil if the supply is always on.
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

  /// The buzzer beside the button.
  package struct Buzzer: Sendable {
    package var output: any PowerSwitch
    package var profile: SoundProfile
    /// Returns the minute of the local day, 0...1439.
    package var minuteOfDay: @Sendable (UTCTime) -> Int

    package init(
      _ output: any PowerSwitch, _ profile: SoundProfile, minuteOfDay: @escaping @Sendable (UTCTime) -> Int
    ) {
      self.output = output
      self.profile = profile
      self.minuteOfDay = minuteOfDay
    }
  }

  /// The name of the gateway, as in `boat-7`; the board; the version of the program; and the identifier of the present
  /// boot of the machine, which is empty if it is unknown.
  package var names: (gateway: String, board: String, version: String, boot: String)
  package var buttons: [Button]
  package var light: (output: any IndicatorOutput, profile: IndicatorProfile)
  package var receiver: Receiver
  /// The buzzer; nil if the configuration has none.
  package var buzzer: Buzzer?
  /// The clocks of this machine that get the time of the receiver.
  package var clocks: [any ClockOutput] = []
  /// The reason why the commands `PRESS` and `HOLD` are refused; nil if they are allowed.
  package var simulatedPressRefusal: String?
  /// The policy at the start. It applies until the configuration is read again.
  package var policy = Policy()
  /// Reads the configuration again. Nil if the daemon has no configuration file.
  package var reload: (@Sendable () throws -> Reconfiguration)?
  /// Creates a link that opens the owners' page once. Nil if the gateway has no page.
  package var pageLink: (@Sendable () -> (address: String, lifetime: Duration)?)?
  package var allowsRegions = false
  /// Whether the wall clock of this machine was right at the start of the program.
  package var isWallClockSet = false
  /// The codes of the warnings for owners about faults that were found at the start, for example `receiver-shared`.
  package var warnings: [String] = []
  /// Returns the metrics of the daemon.
  package var metrics: @Sendable () -> [MetricFamily] = { [] }
  /// Sends the status line to the service manager, without waiting. Returns false if the status line cannot be sent
  /// now. Nil without a service manager.
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
