package main

// reload reads the settings again and applies those that can change while the
// service runs: tenants, the level of the log, the certificate, environments. It
// takes all or nothing: a mistake in the file leaves everything as it was.
func (s *service) reload() {
	set, err := s.verb.settings()
	if err != nil {
		s.log.Error("keep the settings as they were", "error", err)
		return
	}
	if s.listeners.certs != nil {
		if err := s.listeners.certs.read(); err != nil {
			s.log.Error("keep the certificate as it was", "error", err)
			return
		}
	}
	if level, err := set.Log.level(); err == nil {
		s.level.Set(level)
	}
	s.house.environments.forget()
	if err := s.reloadSources(&set); err != nil {
		s.log.Error("keep the connections as they were", "error", err)
	}
	s.settings.Tenants, s.settings.Defaults = set.Tenants, set.Defaults
	if err := s.reloadDesk(); err != nil {
		s.log.Error("keep the tenants as they were", "error", err)
	}
	s.log.Info("read the settings again", "tenants", len(set.Tenants))
}
