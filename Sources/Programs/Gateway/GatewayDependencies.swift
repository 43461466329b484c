package import Hardware
package import Telemetry
package import ReceiverStream

/// The dependencies of a gateway: the devices of the board, and functions of the daemon.
package struct GatewayDependencies: Sendable {
  /// A button of the board.
  package struct Button: Sendable {
    package var profile: ButtonProfile
    package var input: any EdgeInput
    /// Presses the button for the given time, and returns when the press has taken effect. Nil for a real button.
    package var press: (@Sendable (Duration) async throws -> Void)?

    package init(
      profile: ButtonProfile, input: any EdgeInput, press: (@Sendable (Duration) async throws -> Void)? = nil
    ) {
      self.profile = profile
      self.input = input
      self.press = press
    }
  }

  /// The name of the gateway, as in `boat-7`.
  package var gateway: String
  package var board: String
  package var version: String
  /// The identifier of the present boot of the machine; empty if it is unknown.
  package var boot: String
  package var buttons: [Button]
  package var indicatorProfile: IndicatorProfile
  package var indicator: any IndicatorOutput
  package var receiver: ReceiverSource
  /// The code that configures the receiver; nil if the gateway does not change the receiver's settings.
  package var receiverSetup: ReceiverSetup?
  package var requiresChecksum: Bool
  /// Whether apps may receive a position that the receiver did not measure. Such a position is estimated, is simulated,
  /// or comes from a setting of the receiver.
  package var servesUnmeasured: Bool
  /// The switch of the receiver's power supply; nil if the supply is always on.
  package var receiverPower: (any PowerSwitch)?
  /// The clocks of this machine that get the time of the receiver.
  package var clocks: [any ClockOutput]
  /// The reason why the commands `PRESS` and `HOLD` are refused; nil if they are allowed.
  package var simulatedPressRefusal: String?
  /// The policy at the start. It applies until the configuration is read again.
  package var policy: Policy
  /// Reads the configuration again. Nil if the daemon has no configuration file.
  package var reload: (@Sendable () throws -> Reconfiguration)?
  /// Creates a link that opens the owners' page once. Nil if the gateway has no page.
  package var pageLink: (@Sendable () -> PageLink?)?
  package var allowsRegions: Bool
  /// The codes of the faults that were found at the start, for example `receiver-shared`.
  package var warnings: [String]
  /// Returns fields of the daemon for the reply to `STATUS`.
  package var status: @Sendable () -> [String: String]
  package var metrics: @Sendable () -> [MetricFamily]
  /// Sends the status line to the service manager, without waiting. Returns false if the line cannot be sent now. Nil
  /// without a service manager.
  package var tellStatus: (@Sendable (String) -> Bool)?

  package init(
    gateway: String, board: String, version: String, boot: String,
    buttons: [Button], indicatorProfile: IndicatorProfile,
    indicator: any IndicatorOutput, receiver: ReceiverSource, receiverSetup: ReceiverSetup? = nil,
    requiresChecksum: Bool = true, servesUnmeasured: Bool = false, receiverPower: (any PowerSwitch)? = nil,
    clocks: [any ClockOutput] = [], simulatedPressRefusal: String?,
    policy: Policy = Policy(), reload: (@Sendable () throws -> Reconfiguration)? = nil,
    pageLink: (@Sendable () -> PageLink?)? = nil, allowsRegions: Bool = false, warnings: [String] = [],
    status: @escaping @Sendable () -> [String: String] = { [:] },
    metrics: @escaping @Sendable () -> [MetricFamily] = { [] }, tellStatus: (@Sendable (String) -> Bool)? = nil
  ) {
    self.gateway = gateway
    self.board = board
    self.version = version
    self.boot = boot
    self.buttons = buttons
    self.indicatorProfile = indicatorProfile
    self.indicator = indicator
    self.receiver = receiver
    self.receiverSetup = receiverSetup
    self.requiresChecksum = requiresChecksum
    self.servesUnmeasured = servesUnmeasured
    self.receiverPower = receiverPower
    self.clocks = clocks
    self.simulatedPressRefusal = simulatedPressRefusal
    self.policy = policy
    self.reload = reload
    self.pageLink = pageLink
    self.allowsRegions = allowsRegions
    self.warnings = warnings
    self.status = status
    self.metrics = metrics
    self.tellStatus = tellStatus
  }
}
