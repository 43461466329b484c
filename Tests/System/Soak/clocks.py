"""Rules: chrony gets the time of the receiver, and no other time."""

from bounds import LATE, SLACK, TIMED


class Clocks:
    def timed(self):
        """Each sample is the time of one epoch, against the clock of the daemon at that time."""
        evidence, before = self.evidence, {}
        for sample in evidence.samples:
            if sample.utc is None:
                self.violated("a sample of the time has the form of chrony", sample.record["datagram"], sample.record)
                continue
            label = round(sample.utc * 1000)
            life = evidence.life(sample.t)
            former = before.setdefault((life and life["life"], label // 1000), sample)
            if former is not sample:
                self.violated("chrony gets one sample in a second", f"{label} ms", former.record, sample.record)
            epoch = evidence.labels.get(label)
            if epoch is None or epoch["t"] > sample.t + SLACK:
                self.violated("a sample of the time comes from an epoch with a fix", f"{label} ms", sample.record)
            elif epoch["label"] != epoch["utc"]:
                self.violated("a corrected date sets no clock", f"{label} ms", sample.record, epoch)
            # The true time is the time of this machine. The daemon subtracts the time that the bytes take on a serial
            # line. The epoch did not take this time, so the sample can be ahead by it.
            lag = evidence.lag(sample.t - LATE, sample.t)
            line = epoch["line"] if epoch else 0
            errors = [sample.offset + shift for shift in evidence.shifts(sample.t - LATE - lag, sample.t)]
            if not any(-LATE - lag < error < SLACK + lag + line for error in errors):
                self.violated("chrony gets the right time", f"{errors} s off", sample.record)
        self.figures["time_samples"] = len(evidence.samples)
        if evidence.setup.get("clock") and not evidence.samples and len(evidence.epochs) >= TIMED:
            self.violated("chrony gets the time", f"no sample of {len(evidence.epochs)} epochs")
