/// The decision of one epoch: which hypotheses accept the position, which one leads, and which position is reported.
extension HorizontalFilter {
  /// The innovations of the hypotheses and the decisions that follow from them.
  private struct Judgement {
    let positions: Innovation
    let doppler: Innovation?
    /// Whether the filter trusts the hypothesis with Doppler velocities, and whether it trusts this hypothesis so much
    /// that only this hypothesis decides.
    let usesDoppler, dopplerLeads: Bool
    /// Whether the filter has just begun, so that no position counts as an outlier yet.
    let isFree: Bool
    let positionsAccept: Bool
    var dopplerAccepts: Bool
    /// Whether a hypothesis that may decide accepts the position, and whether it accepts the position even with the
    /// receiver's usual noise.
    var isAccepted, isUsual: Bool

    var leading: Innovation { (usesDoppler ? doppler : nil) ?? positions }
  }

  /// Decides whether the hypotheses accept a position, updates them, and returns the position to report. Returns nil if
  /// the filter must restart at the position.
  mutating func decide(_ observation: Observation) -> Estimate? {
    let judgement = judge(observation)
    // The first positions contradict each other, so no track connects them.
    if judgement.isFree, !judgement.isAccepted { return nil }
    if let estimate = tryAlternative(observation, judgement) {
      // Far from its origin, the plane does not represent the ground.
      return observation.place.length > Self.farthest ? nil : estimate
    }
    updatePositions(observation, judgement)
    updateDoppler(judgement)
    let reported = hypothesis(for: judgement)
    if judgement.isAccepted { alternative = Alternative(at: observation.place, velocity: reported.velocity) }
    return isReceiversOwnBest(observation, judgement)
      ? receiversOwn(observation.deviation) : estimate(reported, observation.deviation)
  }

  private mutating func judge(_ observation: Observation) -> Judgement {
    let (place, gate) = (observation.place, parameters.gate)
    let byPositions = positions.innovation(of: place, variance: observation.variance)
    let byDoppler = doppler?.innovation(of: place, variance: observation.variance)
    addResidual(observation)
    if let doppler, let byDoppler {
      // If the epoch has no usable velocity, the latest velocity counts. In this case the position can be evidence
      // against Doppler, but not for it.
      let latest = byDoppler.squared > byPositions.squared ? doppler.velocity.length : 0
      trust.compare(
        doppler: byDoppler, positions: byPositions, said: observation.speed ?? latest, moved: positions.velocity.length,
        after: observation.seconds, parameters)
    }
    let usesDoppler = doppler != nil && trust.isTrusted
    var judgement = Judgement(
      positions: byPositions, doppler: byDoppler, usesDoppler: usesDoppler,
      dopplerLeads: usesDoppler && observation.step != nil && trust.leads, isFree: fixes < parameters.freeFixes,
      positionsAccept: byPositions.squared <= gate,
      dopplerAccepts: usesDoppler && byDoppler.map { $0.squared <= gate } ?? false,
      isAccepted: false, isUsual: false)
    func isUsual(_ hypothesis: Hypothesis) -> Bool {
      hypothesis.innovation(of: place, variance: observation.usual).squared <= gate
    }
    judgement.isAccepted = judgement.dopplerAccepts || judgement.positionsAccept && !judgement.dopplerLeads
    judgement.isUsual =
      judgement.isAccepted
      && (usesDoppler && doppler.map(isUsual) ?? false || !judgement.dopplerLeads && isUsual(positions))
    // At rest, some receivers hold their position. When the motion begins, their position moves in a step, which must
    // not count as an outlier.
    if isHeld(observation), let byDoppler, byDoppler.offset.length <= 2 * observation.deviation {
      (judgement.isAccepted, judgement.isUsual, judgement.dopplerAccepts) = (true, true, true)
    }
    return judgement
  }

  /// Replaces the leading hypothesis by the alternative, when the rejected positions are confirmed.
  private mutating func tryAlternative(
    _ observation: Observation, _ judgement: Judgement
  ) -> Estimate? {
    guard !judgement.isAccepted else { return nil }
    let step = judgement.dopplerLeads ? observation.step : nil
    // The velocity of the rejecting hypothesis may be as wrong as it is high.
    let unknown = max(parameters.unknownVelocity, positions.velocity.length)
    let beginning = Hypothesis(
      at: observation.place, velocity: step?.velocity ?? positions.velocity, noise: observation.variance,
      sigma: observation.error.sigma, velocityVariance: step == nil ? unknown * unknown : 1)
    guard
      let hypothesis = alternative.reject(
        observation, beginning: beginning, dopplerLeads: judgement.dopplerLeads, parameters)
    else { return nil }
    if judgement.usesDoppler { trust.lose(parameters) }
    positions = hypothesis
    if doppler != nil { doppler = hypothesis }
    alternative = Alternative(at: observation.place, velocity: hypothesis.velocity)
    return receiversOwn(observation.deviation)
  }

  // MARK: Update

  private mutating func updatePositions(
    _ observation: Observation, _ judgement: Judgement
  ) {
    let innovation = judgement.positions
    if judgement.positionsAccept ? innovation.squared > parameters.doubt : judgement.dopplerAccepts {
      positions.accelerate(toExplain: innovation, as: parameters.doubt, after: observation.seconds)
      positions.update(innovation)
    } else if judgement.positionsAccept {
      positions.update(innovation)
    } else {
      positions.update(innovation, limitedTo: parameters.gate)
    }
  }

  private mutating func updateDoppler(_ judgement: Judgement) {
    guard let innovation = judgement.doppler else { return }
    if judgement.dopplerAccepts {
      doppler?.update(innovation)
    } else if judgement.positionsAccept, !judgement.usesDoppler {
      doppler?.adoptPosition(of: positions)
    } else {
      doppler?.update(innovation, limitedTo: parameters.gate)
    }
  }

  // MARK: Output

  private func hypothesis(for judgement: Judgement) -> Hypothesis {
    let usesDoppler = judgement.usesDoppler && (judgement.dopplerAccepts || !judgement.isAccepted)
    return (usesDoppler ? doppler : nil) ?? positions
  }

  /// Returns whether the filter reports the receiver's own position. It does if the position was accepted with the
  /// usual noise, and if the receiver itself has already filtered the position.
  private func isReceiversOwnBest(
    _ observation: Observation, _ judgement: Judgement
  ) -> Bool {
    if judgement.isFree { return true }
    let hasFiltered = observation.white < parameters.ownShare * observation.deviation
    let isMovingOrHeld = !isAtRest || isHeld(observation)
    return judgement.isUsual && (!hasSettled || hasFiltered && isMovingOrHeld)
  }

  private var isAtRest: Bool { standstill.isAtRest && trust.isTrusted }

  /// Returns whether the receiver itself holds its position at rest.
  private func isHeld(_ observation: Observation) -> Bool {
    isAtRest && observation.white <= (observation.speed == 0 ? parameters.holdingAtZero : parameters.holding)
  }
}
