package import Hardware
package import Telemetry
package import UBX

/// What a gateway is made of.
package struct Setup: Sendable {
  /// A button of the board.
  package struct Button: Sendable {
    package var profile: ButtonProfile
    package var input: any EdgeInput
    /// Presses it for that long and returns when the press has taken effect; nil for a button that only a finger moves.
    package var press: (@Sendable (Duration) async throws -> Void)?

    package init(
      profile: ButtonProfile, input: any EdgeInput, press: (@Sendable (Duration) async throws -> Void)? = nil
    ) {
      self.profile = profile
      self.input = input
      self.press = press
    }
  }

  /// As in `boat-7`.
  package var gateway: String
  package var board: String
  package var version: String
  package var buttons: [Button]
  package var indicatorProfile: IndicatorProfile
  package var indicator: any IndicatorOutput
  package var receiver: ReceiverSource
  /// What the receiver shall do; nil where it is left as it is.
  package var receiverSettings: ReceiverSettings?
  /// Whether the receiver's sentences count only with their checksum.
  package var requiresChecksum: Bool
  /// Whether positions are served that the receiver estimated, was told or simulates.
  package var servesUnmeasured: Bool
  /// Switches the receiver's supply; nil where it is always on.
  package var receiverPower: (any PowerSwitch)?
  /// Why `PRESS` and `HOLD` are refused; nil where they are allowed.
  package var simulatedPressRefusal: String?
  /// What holds until it is read again.
  package var policy: Policy
  /// Reads the configuration again; nil where there is none.
  package var reload: (@Sendable () throws -> Reconfiguration)?
  /// Makes a link that opens the page once; nil where there is no page.
  package var pageLink: (@Sendable () -> PageLink?)?
  /// Whether apps may have regions.
  package var allowsRegions: Bool
  /// What was found at the start that is not as it should be, by its code, as in `receiver-shared`.
  package var warnings: [String]
  /// What is told in numbers beside the gateway's own.
  package var metrics: @Sendable () -> [MetricFamily]
  /// Tells the service manager how the gateway is, in a line, without waiting; false where it does not take that now. Nil
  /// where nobody wants to know.
  package var tellStatus: (@Sendable (String) -> Bool)?

  package init(
    gateway: String, board: String, version: String,
    buttons: [Button], indicatorProfile: IndicatorProfile,
    indicator: any IndicatorOutput, receiver: ReceiverSource, receiverSettings: ReceiverSettings? = nil,
    requiresChecksum: Bool = true, servesUnmeasured: Bool = false, receiverPower: (any PowerSwitch)? = nil,
    simulatedPressRefusal: String?,
    policy: Policy = Policy(), reload: (@Sendable () throws -> Reconfiguration)? = nil,
    pageLink: (@Sendable () -> PageLink?)? = nil, allowsRegions: Bool = false, warnings: [String] = [],
    metrics: @escaping @Sendable () -> [MetricFamily] = { [] }, tellStatus: (@Sendable (String) -> Bool)? = nil
  ) {
    self.gateway = gateway
    self.board = board
    self.version = version
    self.buttons = buttons
    self.indicatorProfile = indicatorProfile
    self.indicator = indicator
    self.receiver = receiver
    self.receiverSettings = receiverSettings
    self.requiresChecksum = requiresChecksum
    self.servesUnmeasured = servesUnmeasured
    self.receiverPower = receiverPower
    self.simulatedPressRefusal = simulatedPressRefusal
    self.policy = policy
    self.reload = reload
    self.pageLink = pageLink
    self.allowsRegions = allowsRegions
    self.warnings = warnings
    self.metrics = metrics
    self.tellStatus = tellStatus
  }
}
