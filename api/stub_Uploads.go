package api

func (s *Server) registerUploads() {}
